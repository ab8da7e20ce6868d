// What groups of conditions do otherwise than it may seem: of a rule, a shared condition and a bypass rule alike.
import type { ConditionGroup } from "../evaluator/config.ts";
import { valueDoubts } from "../evaluator/value-doubts.ts";

/** More say nothing new, and each version stores them. */
const MOST_DOUBTS = 5;

function* find(groups: readonly ConditionGroup[], what: string): Generator<string> {
  if (groups.length === 0) yield `conditionGroup: expected at least 1 group; without one this ${what} never matches`;
  for (const [group, { conditions }] of groups.entries()) {
    for (const [index, condition] of conditions.entries()) {
      for (const { member, text } of valueDoubts(condition)) {
        yield `conditionGroup[${group}].conditions[${index}].${member}: ${text}`;
      }
    }
  }
}

/** The doubts about groups of conditions; null: none. */
export function doubtsOf(groups: readonly ConditionGroup[], what: "rule" | "condition"): readonly string[] | null {
  const doubts = [...find(groups, what).take(MOST_DOUBTS)];
  return doubts.length === 0 ? null : doubts;
}
