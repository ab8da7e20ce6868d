// The value of a secret: revealed after a fresh proof, and hidden again by itself.
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownValue, useReveal } from "../../parts/reveal.tsx";
import { TEXTS } from "../../texts.ts";
import type { Secret } from "../../api/objects.ts";

const T = TEXTS.secret;

function whyNot(secret: Secret, mayReveal: boolean | null): string | null {
  if (!secret.decryptable) return T.sealed;
  return mayReveal === false ? T.mayNotReveal : null;
}

export function RevealedValue({ secret }: { readonly secret: Secret }): ReactNode {
  const teamId = useTeamId();
  const why = whyNot(secret, useMay("secret:reveal"));
  const { data, error, isPending, reveal, hide } = useReveal(() =>
    call("GET /v3/secrets/:name", { params: { name: secret.uid }, query: { teamId, decrypt: true } }),
  );
  if (data?.value !== undefined) {
    return (
      <div className="revealed">
        <ShownValue value={data.value} onHide={hide} />
        {data.encoding === "base64" && <p className="hint">{T.isBinary}</p>}
        <p className="hint">{T.hidesItself}</p>
      </div>
    );
  }
  return (
    <div className="revealed">
      {error && <Refusal error={error} retry={reveal} />}
      {data?.message && <p role="alert">{data.message}</p>}
      <Button disabledBecause={why} busy={isPending} onClick={reveal}>
        {T.reveal}
      </Button>
      <p className="hint">{T.revealHint}</p>
    </div>
  );
}
