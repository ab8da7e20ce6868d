// The maximum cost of a configuration per request. docs/firewall.md has the table.
import type { Condition, ConditionGroup, Configuration, Rule } from "./config.ts";
import { attemptSize, patternSize } from "./pattern/pattern.ts";
import { expectedTexts } from "./request/operand.ts";

// Costs are counted in tenths, so that the sum is exact.
const UNIT = 10;
/** The cost of an expression and of each instruction of its program, measured with the slowest expressions. */
const PATTERN_UNITS = 50;
const INSTRUCTION_UNITS = 25;
const RATE_LIMIT_UNITS = 5;

/** Throws a `PatternError` when the text is not an expression. */
export function patternCost(text: string): number {
  return PATTERN_UNITS + INSTRUCTION_UNITS * patternSize(text);
}

/** The cost of finding out that a text is not an expression, in the same units. */
export function attemptCost(text: string): number {
  return PATTERN_UNITS + INSTRUCTION_UNITS * attemptSize(text);
}

function conditionTenths(condition: Condition): number {
  if (condition.type === "shared_condition") return UNIT;
  switch (condition.op) {
    case "inc":
    case "ninc":
    case "list":
      return UNIT + expectedTexts(condition).length;
    case "re":
      return expectedTexts(condition).reduce((sum, text) => sum + UNIT * patternCost(text), 0);
    case "eq":
    case "neq":
    case "pre":
    case "suf":
    case "sub":
    case "ex":
    case "nex":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return UNIT;
  }
}

function groupsTenths(groups: readonly ConditionGroup[]): number {
  let sum = 0;
  for (const { conditions } of groups) for (const condition of conditions) sum += conditionTenths(condition);
  return sum;
}

/** The cost of matching these groups in whole units, rounded up. */
export function costOfGroups(groups: readonly ConditionGroup[]): number {
  return Math.ceil(groupsTenths(groups) / UNIT);
}

function ruleTenths({ conditionGroup, action }: Rule): number {
  const rateLimit = action.mitigate?.rateLimit;
  return groupsTenths(conditionGroup) + (rateLimit ? UNIT * (RATE_LIMIT_UNITS + rateLimit.keys.length) : 0);
}

/** The cost in whole units, rounded up. Throws a `PatternError` when an expression is invalid. */
export function costOf({ rules, ips, conditions = [] }: Configuration): number {
  let tenths = ips.length;
  for (const rule of rules) tenths += ruleTenths(rule);
  for (const { conditionGroup } of conditions) tenths += groupsTenths(conditionGroup);
  return Math.ceil(tenths / UNIT);
}
