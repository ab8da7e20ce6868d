// The value of a secret: revealed after a fresh proof, and hidden again by itself.
import { useEffect } from "react";
import type { ReactNode } from "react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { CopyButton, Copyable } from "../../parts/copy.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { TEXTS } from "../../texts.ts";
import type { Secret } from "../../api/objects.ts";

const T = TEXTS.secret;
/** How long a value stays on the screen. */
export const SHOWN_MS = 60_000;

function whyNot(secret: Secret, mayReveal: boolean | null): string | null {
  if (!secret.decryptable) return T.sealed;
  return mayReveal === false ? T.mayNotReveal : null;
}

export function RevealedValue({ secret }: { readonly secret: Secret }): ReactNode {
  const teamId = useTeamId();
  const client = useQueryClient();
  const why = whyNot(secret, useMay("secret:reveal"));
  // Not a query: a value is asked for once, each time recorded, and never kept.
  const reveal = useMutation({
    mutationFn: () => call("GET /v3/secrets/:name", { params: { name: secret.uid }, query: { teamId, decrypt: true } }),
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: ["GET /v3/events"] }),
  });
  const { data, error, isPending, mutate, reset } = reveal;
  useEffect(() => {
    if (data === undefined) return;
    const timer = setTimeout(reset, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [data, reset]);
  if (data?.value !== undefined) {
    return (
      <div className="revealed">
        {data.value.includes("\n") ? (
          <>
            <div className="value">{data.value}</div>
            <CopyButton text={data.value} />
          </>
        ) : (
          <Copyable text={data.value} label={T.value} />
        )}
        <Button kind="plain" onClick={reset}>
          {T.hide}
        </Button>
        {data.encoding === "base64" && <p className="hint">{T.isBinary}</p>}
        <p className="hint">{T.hidesItself}</p>
      </div>
    );
  }
  return (
    <div className="revealed">
      {error && <Refusal error={error} retry={mutate} />}
      {data?.message && <p role="alert">{data.message}</p>}
      <Button disabledBecause={why} busy={isPending} onClick={() => mutate()}>
        {T.reveal}
      </Button>
      <p className="hint">{T.revealHint}</p>
    </div>
  );
}
