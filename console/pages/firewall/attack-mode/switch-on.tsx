// Switches attack mode on, or changes its end, after saying what that does.
import type { ReactNode } from "react";
import { isRefusal } from "../../../api/call.ts";
import { useChange } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Button } from "../../../parts/button.tsx";
import { Dialog } from "../../../parts/dialog.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../../parts/form.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Refusal } from "../../../parts/proof.tsx";
import { TEXTS, fill } from "../../../texts.ts";
import { useProject } from "../../../parts/project.tsx";

const T = TEXTS.attackMode;
const DEFAULT_SECONDS = "3600";
const FIELD = "attackModeActiveUntil";

function endAfter(seconds: number): number {
  return Date.now() + seconds * 1_000;
}

/** A refused change; one that somebody else has overtaken says so. */
export function ChangeRefusal({ error, retry }: { readonly error: Error; readonly retry: () => void }): ReactNode {
  if (!isRefusal(error) || error.status !== 412) return <Refusal error={error} retry={retry} />;
  return (
    <div role="alert">
      <p className="notice">{T.changedMeanwhile}</p>
      <Problem error={error} />
    </div>
  );
}

export function Consequences(): ReactNode {
  return (
    <>
      <p>{T.what}</p>
      <ul>
        {T.consequences.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </>
  );
}

interface Props {
  readonly isOn: boolean;
  /** Of the state that the decision was made on. */
  readonly etag: string | null;
  readonly onClose: () => void;
}

export function SwitchOn({ isOn, etag, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const change = useChange("POST /v1/attack-challenge-mode");
  const send = (seconds: number): void =>
    change.mutate(
      {
        query: { teamId, projectId: project },
        body: {
          attackModeEnabled: true,
          ...(seconds > 0 && { attackModeActiveUntil: endAfter(seconds) }),
        },
        ...(etag !== null && { ifMatch: etag }),
      },
      { onSuccess: onClose },
    );
  const submit = onSubmit((field) => send(Number(field("duration"))));
  const other = otherProblem(change.error, [FIELD]);
  return (
    <Dialog title={fill(isOn ? T.changeTitle : T.switchOnTitle, { project })} onClose={onClose}>
      <form onSubmit={submit}>
        {!isOn && <Consequences />}
        {other && <ChangeRefusal error={other} retry={() => change.variables && change.mutate(change.variables)} />}
        <Field label={T.duration} hint={T.durationHint} problem={problemWith(change.error, FIELD)}>
          {(control) => (
            <select {...control} name="duration" defaultValue={DEFAULT_SECONDS}>
              {Object.entries(T.durations)
                // What is without an end comes last.
                .toSorted(([a], [b]) => (Number(a) || Infinity) - (Number(b) || Infinity))
                .map(([seconds, label]) => (
                  <option key={seconds} value={seconds}>
                    {label}
                  </option>
                ))}
            </select>
          )}
        </Field>
        <footer>
          <Button type="submit" kind={isOn ? "main" : "danger"} busy={change.isPending}>
            {isOn ? T.keep : T.switchOn}
          </Button>
          <Button kind="plain" onClick={onClose}>
            {TEXTS.dialog.cancel}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
