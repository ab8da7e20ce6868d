// Switches attack mode on, or changes its end, after saying what that does.
import { Shield, ShieldQuestionMark, SkipForward, SquareTerminal } from "lucide-react";
import type { ReactNode } from "react";
import { isRefusal } from "../../../api/call.ts";
import { useChange } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { onSubmit, otherProblem, problemWith } from "../../../parts/form.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Refusal } from "../../../parts/proof.tsx";
import { useProject } from "../../../parts/project.tsx";
import { Select } from "../../../parts/select.tsx";

const CONSEQUENCES = [
  { who: "Browsers", what: "see a challenge first, then pass for a while.", Icon: ShieldQuestionMark },
  { who: "Programs, monitors and webhooks", what: "are refused with status 403.", Icon: SquareTerminal },
  { who: "The bypass list and bypass rules", what: "are not challenged.", Icon: SkipForward },
  { who: "The rules", what: "come after it and decide as always.", Icon: Shield },
];
const DURATIONS = {
  900: "15 minutes",
  3600: "1 hour",
  21600: "6 hours",
  86400: "1 day",
  604800: "7 days",
  2592000: "30 days",
  0: "until it is switched off",
};
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
      <p className="notice">
        Somebody else changed it meanwhile. What is shown now is as they left it: look at it, and decide again.
      </p>
      <Problem error={error} />
    </div>
  );
}

export function Consequences(): ReactNode {
  return (
    <>
      <p>The gates of this project challenge every request before they read any rule:</p>
      <ul className="facts">
        {CONSEQUENCES.map(({ who, what, Icon }) => (
          <li key={who}>
            <Icon className="i i-s" />
            <span>
              <strong>{who}</strong> {what}
            </span>
          </li>
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
    <FormDialog
      title={isOn ? `Change the end of attack mode of ${project}` : `Switch attack mode of ${project} on?`}
      label={isOn ? "Set the end" : "Switch on"}
      kind={isOn ? "main" : "danger"}
      change={change}
      fields={[FIELD]}
      about={!isOn && <Consequences />}
      conflict={
        other && <ChangeRefusal error={other} retry={() => change.variables && change.mutate(change.variables)} />
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="For how long"
        hint="At its end it is off at once. At most 30 days, or without an end."
        problem={problemWith(change.error, FIELD)}
      >
        {(control) => (
          <Select
            {...control}
            name="duration"
            // What is without an end comes last.
            choices={Object.entries(DURATIONS).toSorted(
              ([a], [b]) => (Number(a) || Infinity) - (Number(b) || Infinity),
            )}
            defaultValue={DEFAULT_SECONDS}
          />
        )}
      </Field>
    </FormDialog>
  );
}
