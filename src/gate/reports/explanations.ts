// Explains decisions after the fact, within a bounded part of the time: explaining evaluates every rule.
import { performance } from "node:perf_hooks";
import type { Cause, Explanation, Step } from "../../firewall/evaluator/decision.ts";
import { TimeLimitError } from "../../firewall/evaluator/time-limit.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateDecision } from "../decision.ts";

/** For all explanations of a second together. */
const BUDGET_MS = 20;

export interface Explanations {
  /** Null: there is no time for it, or it would not explain this decision. */
  explain(decision: GateDecision, work: () => Explanation): readonly Step[] | null;
}

/** Whether an explanation is of this decision: counters have changed since, and a pass may have ended. */
function isOf({ decision }: Explanation, { action, wouldBe, by }: GateDecision): boolean {
  const isBy = (cause: Cause | null) => cause?.phase === by?.phase && cause?.id === by?.id;
  if (decision.action === (wouldBe ?? action) && isBy(decision.by)) return true;
  // A rule that is only watched.
  return wouldBe !== null && decision.action === action && decision.by === null && decision.logged.some(isBy);
}

export function createExplanations(elapsed: () => number = () => performance.now()): Explanations {
  let credit = BUDGET_MS;
  let creditedAt = elapsed();

  return {
    explain(decision, work) {
      const startedAt = elapsed();
      credit = Math.min(BUDGET_MS, credit + ((startedAt - creditedAt) / SECOND_MS) * BUDGET_MS);
      creditedAt = startedAt;
      if (credit <= 0) return null;
      try {
        const explanation = work();
        return isOf(explanation, decision) ? explanation.steps : null;
      } catch (error) {
        if (error instanceof TimeLimitError) return null;
        throw error;
      } finally {
        credit -= elapsed() - startedAt;
      }
    },
  };
}
