// Explains decisions after the fact, within a bounded part of the time: explaining evaluates every rule.
import { performance } from "node:perf_hooks";
import { costOf } from "../../evaluator/cost.ts";
import type { Explanation, Step } from "../../evaluator/decision.ts";
import { SECOND_MS } from "../../kernel/scheduling/clock.ts";
import type { GateDecision } from "../decision.ts";
import type { Protection } from "../protection.ts";

/** For all explanations of a second together. */
const BUDGET_MS = 20;
/** A configuration that costs more is not explained. The first time compiles its expressions: some 30 ms for this much. */
const MAX_COST = 30_000;

export interface Explanations {
  /** Null: there is no time for it, or it would not explain this decision. */
  explain(protection: Protection, decision: GateDecision, work: () => Explanation): readonly Step[] | null;
}

/** Whether an explanation is of this decision: counters have changed since, and a pass may have ended. */
function isOf({ decision }: Explanation, { action, wouldBe, by }: GateDecision): boolean {
  return decision.action === (wouldBe ?? action) && decision.by?.phase === by?.phase && decision.by?.id === by?.id;
}

export function createExplanations(elapsed: () => number = () => performance.now()): Explanations {
  const affordable = new WeakMap<Protection, boolean>();
  let credit = BUDGET_MS;
  let creditedAt = elapsed();

  function isAffordable(protection: Protection): boolean {
    const { configuration } = protection.bundle;
    const known = affordable.get(protection) ?? (configuration === null || costOf(configuration) <= MAX_COST);
    affordable.set(protection, known);
    return known;
  }

  return {
    explain(protection, decision, work) {
      const startedAt = elapsed();
      credit = Math.min(BUDGET_MS, credit + ((startedAt - creditedAt) / SECOND_MS) * BUDGET_MS);
      creditedAt = startedAt;
      if (credit <= 0 || !isAffordable(protection)) return null;
      const explanation = work();
      credit -= elapsed() - startedAt;
      return isOf(explanation, decision) ? explanation.steps : null;
    },
  };
}
