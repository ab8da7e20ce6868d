// Sends what a webhook missed once more, of a range of time.
import type { ReactNode } from "react";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { timeOfField } from "../../parts/local-time.ts";
import { Problem } from "../../parts/problem.tsx";
import { DELIVERY_STATES } from "./delivery-states.tsx";

const BOUNDS = { since: "From", until: "To" };
type State = keyof typeof DELIVERY_STATES;
const ALL = Object.keys(DELIVERY_STATES) as State[];
const MISSED: readonly State[] = ["skipped", "failed", "pending"];

const LOOK_AGAIN_MS = 1_000;

function Progress({ webhookId, replayId }: { readonly webhookId: string; readonly replayId: string }): ReactNode {
  const query = { teamId: useTeamId() };
  const params = { webhookId, replayId };
  const found = useApi("GET /v1/webhooks/:webhookId/replays/:replayId", { params, query }, { every: LOOK_AGAIN_MS });
  const replay = found.data?.value.replay;
  if (found.error) return <Problem error={found.error} />;
  if (!replay) return null;
  return (
    <p className="notice good" aria-live="polite">
      {replay.finishedAt === null
        ? `${replay.queued} deliveries are due so far.`
        : `${replay.queued} deliveries are due now.`}
    </p>
  );
}

function withBound<N extends string>(name: N, at: number | undefined): { readonly [K in N]?: number } {
  return (at === undefined ? {} : { [name]: at }) as { readonly [K in N]?: number };
}

export function ReplayDialog({
  webhookId,
  onClose,
}: {
  readonly webhookId: string;
  readonly onClose: () => void;
}): ReactNode {
  const query = { teamId: useTeamId() };
  const replay = useChange("POST /v1/webhooks/:webhookId/replay");
  const submit = onSubmit((field) => {
    const states = ALL.filter((state) => field(state) === "on");
    const body = {
      states,
      ...withBound("since", timeOfField(field("since"))),
      ...withBound("until", timeOfField(field("until"))),
    };
    replay.mutate({ params: { webhookId }, query, body });
  });
  return (
    <FormDialog
      title="Send again"
      label="Send again"
      change={replay}
      fields={["since", "until"]}
      about={<p>Makes deliveries due once more, oldest first, beside those of new events.</p>}
      done={replay.data && <Progress webhookId={webhookId} replayId={replay.data.replay.id} />}
      onSubmit={submit}
      onClose={onClose}
    >
      {(["since", "until"] as const).map((bound) => (
        <Field key={bound} label={BOUNDS[bound]} hint="Optional." problem={problemWith(replay.error, bound)}>
          {(control) => <input {...control} name={bound} type="datetime-local" step={1} />}
        </Field>
      ))}
      <fieldset>
        <legend>Deliveries that</legend>
        {ALL.map((state) => (
          <label key={state} className="check">
            <input type="checkbox" name={state} defaultChecked={MISSED.includes(state)} />
            {DELIVERY_STATES[state]}
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
