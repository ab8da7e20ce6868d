// What is typed into the form of a rule, and the rule that it means.
import { EXISTENCE, LISTS, TYPES } from "../../../../src/firewall/evaluator/condition-types.ts";
import type { Condition, Rule } from "../config-types.ts";
import { asChips } from "../../../parts/chip-text.ts";
import type { Comparison, Mitigation } from "./rule-words.ts";
import { valuesOf } from "./rule-words.ts";

export interface TypedCondition {
  /** For React: conditions have no id. */
  readonly at: number;
  readonly type: Condition["type"];
  readonly op: Condition["op"];
  readonly isNot: boolean;
  readonly key: string;
  /** Where the operator takes several values: each on a line of its own, and on the last line the one that is being typed. */
  readonly text: string;
  /** Whether somebody has just added it, to fill it in next. */
  readonly isAdded?: boolean;
  /** What was stored: kept as it is while nothing about it is changed. */
  readonly stored?: Condition;
}

export interface TypedGroup {
  readonly at: number;
  readonly conditions: readonly TypedCondition[];
}

export interface TypedRule {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  readonly groups: readonly TypedGroup[];
  readonly mitigate: Mitigation | undefined;
}

/** A rule that is not stored yet. */
export type NewRule = Omit<Rule, "id">;

let last = 0;
const next = (): number => ++last;

export function newCondition(isAdded = false): TypedCondition {
  return { at: next(), type: "path", op: "pre", isNot: false, key: "", text: "", isAdded };
}

export function newGroup(isAdded = false): TypedGroup {
  return { at: next(), conditions: [newCondition(isAdded)] };
}

export const NEW_RULE: NewRule = {
  name: "",
  active: true,
  conditionGroup: [],
  action: { mitigate: { action: "deny" } },
};

function textOf(condition: Condition): string {
  const text = valuesOf(condition).join("\n");
  return LISTS.has(condition.op) ? asChips(text) : text;
}

function typedCondition(condition: Condition): TypedCondition {
  const { type, op, neg = false, key = "" } = condition;
  return { at: next(), type, op, isNot: neg, key, text: textOf(condition), stored: condition };
}

/** What a limit counts by ends with what is being typed. */
function withKeyToType(mitigate: Mitigation): Mitigation {
  const { rateLimit } = mitigate;
  return rateLimit ? { ...mitigate, rateLimit: { ...rateLimit, keys: [...rateLimit.keys, ""] } } : mitigate;
}

export function typedRule({ name, description, active, conditionGroup, action }: NewRule): TypedRule {
  const groups = conditionGroup.map(({ conditions }) => ({ at: next(), conditions: conditions.map(typedCondition) }));
  return {
    name,
    description: description ?? "",
    active,
    groups: groups.length === 0 ? [newGroup()] : groups,
    mitigate: action.mitigate && withKeyToType(action.mitigate),
  };
}

function isAsStored({ type, op, isNot, key, text, stored }: TypedCondition): boolean {
  return (
    stored !== undefined &&
    stored.type === type &&
    stored.op === op &&
    (stored.neg ?? false) === isNot &&
    (stored.key ?? "") === key &&
    [text, `${text}\n`].includes(textOf(stored))
  );
}

/** Spaces around a value may be meant: only empty lines are left out. */
export function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

/** Types whose values may have commas. */
const WITH_COMMAS: ReadonlySet<Condition["type"]> = new Set([
  ...(["path", "raw_path", "target_path", "route", "server_action", "user_agent"] as const),
  ...(["header", "query", "cookie", "body", "geo_city", "ruleset"] as const),
]);

/** The values of a pasted list: on lines of their own, or with commas between them where no value has one. */
export function listedIn(type: Condition["type"], text: string): string[] {
  const values = text.split(WITH_COMMAS.has(type) ? /\r?\n/ : /[\n,;]/).map((value) => value.trim());
  return [...new Set(values.filter((value) => value !== ""))];
}

/** The value of an operator that takes one: the first of those that were typed for one that takes several. */
export function lineOf(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

export function conditionOf(typed: TypedCondition): Condition {
  const { type, op, isNot, key, text, stored } = typed;
  if (stored && isAsStored(typed)) return stored;
  return {
    type,
    op,
    ...(isNot && { neg: true }),
    ...(TYPES[type].hasKey && { key: key.trim() }),
    ...(!EXISTENCE.has(op) && { value: LISTS.has(op) ? linesOf(text) : lineOf(text) }),
  };
}

function withoutEmptyKeys(mitigate: Mitigation): Mitigation {
  const { rateLimit } = mitigate;
  return rateLimit ? { ...mitigate, rateLimit: { ...rateLimit, keys: rateLimit.keys.filter(Boolean) } } : mitigate;
}

/** The rule that the form means. What the form does not show stays as it was stored. */
export function ruleOf({ name, description, active, groups, mitigate }: TypedRule, stored: NewRule): NewRule {
  return {
    ...stored,
    name: name.trim(),
    ...((description !== "" || stored.description !== undefined) && {
      description: description === "" ? null : description,
    }),
    active,
    conditionGroup: groups.map(({ conditions }) => ({ conditions: conditions.map(conditionOf) })),
    action: mitigate ? { mitigate: withoutEmptyKeys(mitigate) } : {},
  };
}

/** How many parts of the rule are not as they were: each condition is one. */
export function countChanges(before: TypedRule, now: TypedRule): number {
  const partsOf = ({ groups, ...rest }: TypedRule): ReadonlyMap<string | number, string> =>
    new Map<string | number, string>([
      ...Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const),
      ...groups.flatMap((group) =>
        group.conditions.map((one) => [one.at, JSON.stringify([group.at, conditionOf(one)])] as const),
      ),
    ]);
  const [old, typed] = [partsOf(before), partsOf(now)];
  return [...new Set([...old.keys(), ...typed.keys()])].filter((part) => old.get(part) !== typed.get(part)).length;
}

/** The condition with another comparison: a value becomes the first of several. */
export function withComparison(condition: TypedCondition, { op, isNot }: Comparison): TypedCondition {
  const { text } = condition;
  return { ...condition, op, isNot, text: LISTS.has(op) ? asChips(text) : lineOf(text) };
}

/** The rule in which no value is still being typed. */
export function withoutTyped(rule: TypedRule): TypedRule {
  const finished = (one: TypedCondition) => (LISTS.has(one.op) ? { ...one, text: asChips(one.text) } : one);
  return { ...rule, groups: rule.groups.map((group) => ({ ...group, conditions: group.conditions.map(finished) })) };
}

/** The condition with another type: what does not go with the type any more becomes what does. */
export function withType(condition: TypedCondition, type: Condition["type"]): TypedCondition {
  const { operators } = TYPES[type];
  const op = operators.includes(condition.op) ? condition.op : "eq";
  // Another operator is not inverted.
  const isNot = op === condition.op && condition.isNot;
  return {
    ...condition,
    type,
    op,
    isNot,
    text: TYPES[type].choices ? "" : withComparison(condition, { op, isNot }).text,
  };
}
