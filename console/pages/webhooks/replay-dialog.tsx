// Sends what a webhook missed once more, of a range of time.
import type { ReactNode } from "react";
import { useApi, useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { timeOfField } from "../../parts/local-time.ts";
import { Problem } from "../../parts/problem.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.replay;
const STATES = TEXTS.deliveries.states;
type State = keyof typeof STATES;
const ALL = Object.keys(STATES) as State[];
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
      {fill(replay.finishedAt === null ? T.runs : T.done, { queued: replay.queued })}
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
  const other = otherProblem(replay.error, ["since", "until"]);
  if (replay.data) {
    return (
      <Dialog title={T.title} onClose={onClose}>
        <Progress webhookId={webhookId} replayId={replay.data.replay.id} />
      </Dialog>
    );
  }
  return (
    <Dialog title={T.title} onClose={onClose}>
      <p>{T.what}</p>
      <form onSubmit={submit}>
        {other && <Problem error={other} />}
        {(["since", "until"] as const).map((bound) => (
          <Field key={bound} label={T[bound]} hint={T.boundHint} problem={problemWith(replay.error, bound)}>
            {(control) => <input {...control} name={bound} type="datetime-local" step={1} />}
          </Field>
        ))}
        <fieldset>
          <legend>{T.states}</legend>
          {ALL.map((state) => (
            <label key={state} className="check">
              <input type="checkbox" name={state} defaultChecked={MISSED.includes(state)} />
              {STATES[state]}
            </label>
          ))}
        </fieldset>
        <footer>
          <Button type="submit" busy={replay.isPending}>
            {T.start}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
