// The value of a secret: revealed after a fresh proof, and hidden again by itself.
import { Eye } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ShownValue, useReveal, HIDES_ITSELF } from "../../parts/reveal.tsx";
import type { Secret } from "../../api/objects.ts";

function whyNot(secret: Secret, mayReveal: boolean | null): string | null {
  if (!secret.decryptable)
    return "The value of this secret can only be replaced: it was created without being decryptable";
  return mayReveal === false ? "Your role may not reveal values" : null;
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
        {data.encoding === "base64" && <p className="hint">The value is no text: these are its bytes as base64.</p>}
        <p className="hint">{HIDES_ITSELF}</p>
      </div>
    );
  }
  return (
    <div className="revealed">
      {error && <Refusal error={error} retry={reveal} />}
      {data?.message && <p role="alert">{data.message}</p>}
      <div className="concealed">
        <span className="grow cut" aria-hidden="true">
          ••••••••••••••••••••••••
        </span>
        <Button kind="plain" disabledBecause={why} busy={isPending} onClick={reveal}>
          <Eye className="i" />
          Reveal
        </Button>
      </div>
      <p className="hint">Each look at a value is recorded as an event of the team. {HIDES_ITSELF}</p>
    </div>
  );
}
