// Explains decisions after the fact, within a bounded part of the time: explaining evaluates every rule.
import { performance } from "node:perf_hooks";
import type { Explanation, Step } from "../../evaluator/decision.ts";
import { SECOND_MS } from "../../kernel/scheduling/clock.ts";
import type { GateDecision } from "../decision.ts";
import type { Protection } from "../protection.ts";

/** For all explanations of a second together. */
const BUDGET_MS = 20;
/** A configuration that takes longer is not explained any more. */
const COSTLY_MS = 10;
/** So often in a row: once may be the machine's doing. */
const STRIKES = 3;

export interface Explanations {
  /** Null: there is no time for it, or it would not explain this decision. */
  explain(protection: Protection, decision: GateDecision, work: () => Explanation): readonly Step[] | null;
}

/** Whether an explanation is of this decision: counters have changed since, and a pass may have ended. */
function isOf({ decision }: Explanation, { action, wouldBe, by }: GateDecision): boolean {
  return decision.action === (wouldBe ?? action) && decision.by?.phase === by?.phase && decision.by?.id === by?.id;
}

export function createExplanations(elapsed: () => number = () => performance.now()): Explanations {
  const strikes = new WeakMap<Protection, number>();
  let credit = BUDGET_MS;
  let creditedAt = elapsed();

  function refill(now: number): void {
    credit = Math.min(BUDGET_MS, credit + ((now - creditedAt) / SECOND_MS) * BUDGET_MS);
    creditedAt = now;
  }

  return {
    explain(protection, decision, work) {
      const startedAt = elapsed();
      refill(startedAt);
      const struck = strikes.get(protection) ?? 0;
      if (credit <= 0 || struck >= STRIKES) return null;
      const explanation = work();
      const took = elapsed() - startedAt;
      credit -= took;
      strikes.set(protection, took > COSTLY_MS ? struck + 1 : 0);
      return isOf(explanation, decision) ? explanation.steps : null;
    },
  };
}
