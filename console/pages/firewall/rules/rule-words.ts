// Says in words what a rule does.
import type { Operator, RuleAction } from "../../../../src/evaluator/config.ts";
import { TEXTS, fill } from "../../../texts.ts";
import type { Condition, Rule, SharedCondition } from "../config-types.ts";

const T = TEXTS.ruleWords;
const MOST_VALUES = 3;

export type Mitigation = NonNullable<Rule["action"]["mitigate"]>;

export function valuesOf({ value }: Condition): readonly string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function listOf(values: readonly string[]): string {
  const shown = values.slice(0, MOST_VALUES).map((value) => fill(T.quoted, { value }));
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [fill(T.more, { count: more })] : [])].join(T.comma);
}

/** The operator that says the opposite; undefined: there is none. */
const OPPOSITES: Readonly<Partial<Record<Operator, Operator>>> = {
  eq: "neq",
  neq: "eq",
  inc: "ninc",
  ninc: "inc",
  list: "ninc",
  ex: "nex",
  nex: "ex",
};

export function conditionWords(condition: Condition, shared: readonly SharedCondition[] = []): string {
  const { type, op, neg = false, key = "" } = condition;
  const opposite = neg ? OPPOSITES[op] : op;
  const how = opposite ? T.operators[opposite] : T.negated[op as keyof typeof T.negated];
  const values = valuesOf(condition);
  const named =
    type === "shared_condition" ? values.map((id) => shared.find((one) => one.id === id)?.name ?? id) : values;
  return [fill(T.types[type], { key }), how, listOf(named)].filter(Boolean).join(" ");
}

function groupWords(conditions: readonly Condition[], shared: readonly SharedCondition[]): string {
  return conditions.map((condition) => conditionWords(condition, shared)).join(T.and);
}

/** When the rule matches. */
export function whenWords(groups: Rule["conditionGroup"], shared: readonly SharedCondition[] = []): string {
  if (groups.length === 0) return T.never;
  const [first] = groups;
  if (groups.length === 1 && first) return fill(T.when, { what: groupWords(first.conditions, shared) });
  const each = groups.map(({ conditions }) => fill(T.group, { what: groupWords(conditions, shared) }));
  return fill(T.when, { what: each.join(T.or) });
}

function limitWords({ rateLimit }: Mitigation): string {
  if (!rateLimit) return T.actions.rate_limit;
  const { limit, window, keys, action, algo } = rateLimit;
  const exceeded = T.exceeded[(action || "rate_limit") as keyof typeof T.exceeded] ?? action ?? "";
  return fill(T.limits[algo], { limit, window, keys: keys.join(T.comma), exceeded });
}

/** What happens to a request that matches. */
export function effectWords(mitigate: Mitigation | undefined): string {
  if (!mitigate) return T.actions.log;
  const { action, redirect, actionDuration, bypassSystem } = mitigate;
  if (action === "redirect" && redirect) {
    return fill(redirect.permanent ? T.redirects : T.redirectsOnce, { location: redirect.location });
  }
  const what = action === "rate_limit" ? limitWords(mitigate) : T.actions[action as RuleAction];
  if (action === "bypass" && bypassSystem) return T.bypassesAll;
  return actionDuration ? fill(T.holds, { what, duration: T.durations[actionDuration] }) : what;
}

/** The rule as one sentence. */
export function ruleWords(
  rule: Pick<Rule, "conditionGroup" | "action">,
  shared: readonly SharedCondition[] = [],
): string {
  return fill(T.sentence, { when: whenWords(rule.conditionGroup, shared), effect: effectWords(rule.action.mitigate) });
}
