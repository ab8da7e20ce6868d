// By what a sampled decision is found in lists.
import type { Cause, DecisionAction } from "../evaluator/decision.ts";

interface Decided {
  readonly action: DecisionAction;
  readonly wouldBe: DecisionAction | null;
  readonly by: Cause | null;
  readonly logged: readonly Cause[];
}

/** The action, or `log` for a request that was let through although a step matched, as in the traffic. */
export function outcomeOf({ action, wouldBe, logged }: Decided): string {
  return action === "allow" && (wouldBe !== null || logged.length > 0) ? "log" : action;
}

/** The rule that decided, else the first one that logged. */
export function ruleOf({ by, logged }: Decided): string | null {
  return by?.id ?? logged[0]?.id ?? null;
}
