// Two versions of a secret's value, line by line: shown after a fresh proof, and hidden again by themselves.
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import type { Secret } from "../../api/objects.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { useReveal, HIDES_ITSELF } from "../../parts/reveal.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { compareLines } from "./compare-lines.ts";

interface Props {
  readonly secret: Secret;
  /** The earlier one; it is compared with the newest. */
  readonly version: number;
  readonly onClose: () => void;
}

function Lines({ before, after }: { readonly before: string; readonly after: string }): ReactNode {
  if (before === after) return <p className="notice">Both values are the same.</p>;
  return (
    <div className="value">
      {compareLines(before, after).map(({ kind, text }, at) => (
        <div key={at}>{kind === "same" ? text || " " : kind === "old" ? <del>{text}</del> : <ins>{text}</ins>}</div>
      ))}
    </div>
  );
}

export function CompareVersions({ secret, version, onClose }: Props): ReactNode {
  const query = { teamId: useTeamId(), decrypt: true };
  const why = useWhyNot("secret:reveal");
  const valueOf = async (number: number): Promise<string> => {
    const params = { name: secret.uid, version: String(number) };
    const { value, message } = await call("GET /v2/secrets/:name/versions/:version", { params, query });
    if (value === undefined) throw new Error(message);
    return value;
  };
  // One after the other: a refusal is for both.
  const { data, error, isPending, reveal, hide } = useReveal(
    async () => [await valueOf(version), await valueOf(secret.version)] as const,
  );
  return (
    <Dialog title={`Version ${version} and version ${secret.version}`} onClose={onClose}>
      <p>Both values are shown, and both looks are recorded as events of the team.</p>
      {error && <Refusal error={error} retry={reveal} />}
      {data ? (
        <>
          <Lines before={data[0]} after={data[1]} />
          <p className="hint">{HIDES_ITSELF}</p>
          <Button kind="plain" onClick={hide}>
            Hide
          </Button>
        </>
      ) : (
        <Button disabledBecause={why} busy={isPending} onClick={reveal}>
          Reveal both values
        </Button>
      )}
    </Dialog>
  );
}
