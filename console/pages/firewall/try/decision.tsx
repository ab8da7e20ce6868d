// What was decided about a request, and by what.
import type { ReactNode } from "react";
import type { Output } from "../../../api/endpoints.ts";
import { TEXTS, fill } from "../../../texts.ts";

const T = TEXTS.firewallTry;

export type Evaluation = Output<"POST /v1/firewalls/:configVersion/evaluate">;
export type Decision = Evaluation["results"][number]["decision"];
export type Cause = NonNullable<Decision["by"]>;

const LOOKS: Readonly<Record<Decision["action"], string>> = {
  allow: "badge good",
  bypass: "badge good",
  deny: "badge bad",
  challenge: "badge warn",
  rate_limit: "badge warn",
  redirect: "badge warn",
};

export function ActionBadge({ decision }: { readonly decision: Pick<Decision, "action" | "status"> }): ReactNode {
  const { action, status } = decision;
  return (
    <span className={LOOKS[action]}>
      {T.actions[action]}
      {status !== null && `, ${fill(T.status, { status })}`}
    </span>
  );
}

/** Rules of the core rule set, which an engine beside the gate enforces, are rules to whoever reads this. */
export function isOfEngine({ id }: Pick<Cause, "id">): boolean {
  return id !== null && id.startsWith("crs:");
}

function phaseText(cause: Cause): string {
  return T.phases[isOfEngine(cause) ? "rule" : cause.phase];
}

/** What decided or logged, in words; rules are named as their authors named them. */
export function CauseText({ cause }: { readonly cause: Cause }): ReactNode {
  const { id, name } = cause;
  return (
    <>
      {phaseText(cause)} {(name ?? id) !== null && <strong>{name ?? id}</strong>}{" "}
      {name !== null && id !== null && <code>{id}</code>}
    </>
  );
}

/** The step that decided, in words. */
export function Because({ by }: { readonly by: Cause | null }): ReactNode {
  if (!by) return <p>{T.nothingDecided}</p>;
  if (by.phase === "attack_mode") return <p>{T.byAttackMode}</p>;
  return (
    <p>
      {fill(T.by, { phase: phaseText(by) })} <strong>{by.name ?? by.id}</strong>{" "}
      {by.name !== null && <code>{by.id}</code>}
    </p>
  );
}

export function DecisionPanel({
  decision,
  version,
}: {
  readonly decision: Decision;
  readonly version: number;
}): ReactNode {
  const { by, location, retryAfter, isHeld, logged } = decision;
  return (
    <section className="panel" aria-live="polite">
      <h2>
        {T.decision} <ActionBadge decision={decision} />
      </h2>
      <Because by={by} />
      {isHeld && <p>{T.held}</p>}
      <dl>
        {location !== undefined && (
          <>
            <dt>{T.location}</dt>
            <dd>
              <code>{location}</code>
            </dd>
          </>
        )}
        {retryAfter !== undefined && (
          <>
            <dt>{T.retryAfter}</dt>
            <dd>{fill(T.seconds, { seconds: retryAfter })}</dd>
          </>
        )}
        {logged.length > 0 && (
          <>
            <dt>{T.logged}</dt>
            <dd>
              {logged.map((cause, at) => (
                <div key={at}>
                  <CauseText cause={cause} />
                </div>
              ))}
            </dd>
          </>
        )}
      </dl>
      <p className="small">{fill(T.decidedBy, { version })}</p>
    </section>
  );
}
