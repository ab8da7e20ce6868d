// What was decided about a request, and by what.
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import type { Output } from "../../../api/endpoints.ts";
import { useTeamId } from "../../../api/team.ts";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { DecisionBadge } from "../action-badge.tsx";
import { ruleHref } from "../rules/rule-href.ts";

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

/** Rules of the core rule set, which an engine beside the gate enforces, are rules to the reader. */
export function isOfEngine({ id }: Pick<Cause, "id">): boolean {
  return id !== null && id.startsWith("crs:");
}

function phaseText(cause: Cause): string {
  return PHASES[isOfEngine(cause) ? "rule" : cause.phase];
}

/** Where a cause is changed: a rule has a page of its own; null: there is none. */
function useCauseHref({ phase, id, ...cause }: Cause): string | null {
  const teamId = useTeamId();
  const [projectId] = useProject();
  if (phase === "attack_mode") return projectHref(ADDRESSES.firewallAttackMode, teamId, projectId);
  if (phase === "ip") return projectHref(ADDRESSES.firewallAddresses, teamId, projectId);
  if (phase === "managed" || isOfEngine({ id, ...cause }))
    return projectHref(ADDRESSES.firewallManaged, teamId, projectId);
  return id === null ? null : projectHref(ruleHref(ADDRESSES.firewallRule, id), teamId, projectId);
}

/** The name of what decided or logged leads to it; rules are named as their authors named them. */
function CauseName({ cause }: { readonly cause: Cause }): ReactNode {
  const href = useCauseHref(cause);
  const { id, name } = cause;
  const shown = name ?? id;
  if (shown === null) return null;
  return href === null ? <strong>{shown}</strong> : <Link href={href}>{shown}</Link>;
}

/** What decided or logged, in words. */
export function CauseText({ cause }: { readonly cause: Cause }): ReactNode {
  return (
    <>
      {phaseText(cause)} <CauseName cause={cause} />
    </>
  );
}

/** The step that decided, in words. */
export function Because({ by }: { readonly by: Cause | null }): ReactNode {
  if (!by) return <p>{NOTHING_DECIDED}</p>;
  if (by.phase === "attack_mode") return <p>Decided by attack mode</p>;
  return (
    <p>
      Decided by the <CauseText cause={by} />
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
        Decision <DecisionBadge decision={decision} />
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
