// What was decided about a request, and by what.
import type { ReactNode } from "react";
import type { Output } from "../../../api/endpoints.ts";
import { DECISION_NAMES } from "../action-words.ts";

const PHASES = {
  attack_mode: "attack mode",
  ip: "address entry",
  rule: "rule",
  managed: "managed set",
};
export const NOTHING_DECIDED = "Nothing decided, so the request is allowed.";

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
      {DECISION_NAMES[action]}
      {status !== null && `, status ${status}`}
    </span>
  );
}

/** Rules of the core rule set, which an engine beside the gate enforces, are rules to whoever reads this. */
export function isOfEngine({ id }: Pick<Cause, "id">): boolean {
  return id !== null && id.startsWith("crs:");
}

function phaseText(cause: Cause): string {
  return PHASES[isOfEngine(cause) ? "rule" : cause.phase];
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
  if (!by) return <p>{NOTHING_DECIDED}</p>;
  if (by.phase === "attack_mode") return <p>Decided by attack mode</p>;
  return (
    <p>
      Decided by the {phaseText(by)} <strong>{by.name ?? by.id}</strong> {by.name !== null && <code>{by.id}</code>}
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
        Decision <ActionBadge decision={decision} />
      </h2>
      <Because by={by} />
      {isHeld && <p>It repeats an earlier decision for this client.</p>}
      <dl>
        {location !== undefined && (
          <>
            <dt>Redirected to</dt>
            <dd>
              <code>{location}</code>
            </dd>
          </>
        )}
        {retryAfter !== undefined && (
          <>
            <dt>Ends after</dt>
            <dd>{retryAfter} s</dd>
          </>
        )}
        {logged.length > 0 && (
          <>
            <dt>Logged before by</dt>
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
      <p className="small">Version {version}</p>
    </section>
  );
}
