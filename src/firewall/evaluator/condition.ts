// Compiles conditions to functions that decide whether a request matches, and that return the values they compared.
import type { Condition, ConditionGroup, SharedCondition } from "./config.ts";
import { indexNetworks } from "./index/network-index.ts";
import { findPattern } from "./pattern/pattern.ts";
import { numberOf } from "./numbers.ts";
import { expectedTexts, isEquality, isNegated, operandOf } from "./request/operand.ts";
import type { RequestView } from "./request/request.ts";
import type { Values } from "./request/values.ts";
import { countCharacters, countStep } from "./time-limit.ts";

type Test = (request: RequestView) => boolean;

/** Compiles an expression that the first request that needs it would compile. */
export type Preparation = () => void;

export interface CompiledCondition {
  readonly source: Condition;
  /** Its place in the configuration's group. */
  readonly at: number;
  readonly matches: Test;
  /** The values of the request that the condition compares. */
  actual(request: RequestView): readonly string[];
  readonly prepare: Preparation | null;
  readonly readsBody: boolean;
}

/** Conditions on the body are the last: whether a request needs its body depends on the others alone. */
export type CompiledGroup = readonly CompiledCondition[];

/** The active shared conditions of a configuration by id. A shared condition cannot refer to another. */
export type SharedConditions = ReadonlyMap<string, readonly SharedEntry[]>;

interface SharedEntry {
  readonly id: string;
  readonly groups: readonly CompiledGroup[];
  readonly matches: Test;
}

export const NO_SHARED_CONDITIONS: SharedConditions = new Map();

interface ValuesTest {
  (values: Values): boolean;
  readonly prepare?: Preparation;
}

/** Matches when any value, in lower case, matches any expected one. */
function anyLower(expected: readonly string[], isMatch: (lower: string, expected: string) => boolean): ValuesTest {
  return ({ lowers }) => lowers.some((lower) => expected.some((one) => isMatch(lower, one)));
}

/** A body may have thousands of values: beyond so many they are searched as one text. */
const FEW_VALUES = 8;

function anyContains(parts: readonly string[]): ValuesTest {
  const isInOne = anyLower(parts, (value, part) => value.includes(part));
  // It would find a NUL between values.
  if (parts.some((part) => part.includes("\0"))) return isInOne;
  return (values) =>
    values.texts.length > FEW_VALUES ? parts.some((part) => values.joined.includes(part)) : isInOne(values);
}

function anyNumber(expected: readonly string[], isMatch: (value: number, expected: number) => boolean): ValuesTest {
  const numbers = expected.map(numberOf).filter((number) => !Number.isNaN(number));
  return ({ texts }) =>
    texts.some((text) => {
      const value = numberOf(text);
      countCharacters(text.length);
      return !Number.isNaN(value) && numbers.some((number) => isMatch(value, number));
    });
}

function anyEqual(expected: readonly string[]): ValuesTest {
  const all = new Set(expected);
  return ({ lowers }) => lowers.some((lower) => all.has(lower));
}

function anyFound(expressions: readonly string[]): ValuesTest {
  const patterns = expressions.map(findPattern);
  const test = ({ texts, folded }: Values) =>
    texts.some((text, at) => patterns.some((pattern) => pattern.isFound(text, folded[at] as string)));
  const prepare = () => {
    for (const pattern of patterns) pattern.prepare();
  };
  return Object.assign(test, { prepare });
}

/** Compiles the comparison. Negation is left to the caller: `neq` is compiled as `eq`. */
function valuesTest(condition: Condition): ValuesTest {
  const expected = expectedTexts(condition);
  const lower = expected.map((text) => text.toLowerCase());
  switch (condition.op) {
    case "eq":
    case "neq":
    case "inc":
    case "ninc":
    case "list":
      return anyEqual(lower);
    case "ex":
    case "nex":
      return ({ texts }) => texts.length > 0;
    case "pre":
      return anyLower(lower, (value, prefix) => value.startsWith(prefix));
    case "suf":
      return anyLower(lower, (value, suffix) => value.endsWith(suffix));
    case "sub":
      return anyContains(lower);
    case "re":
      return anyFound(expected);
    case "gt":
      return anyNumber(expected, (value, number) => value > number);
    case "gte":
      return anyNumber(expected, (value, number) => value >= number);
    case "lt":
      return anyNumber(expected, (value, number) => value < number);
    case "lte":
      return anyNumber(expected, (value, number) => value <= number);
  }
}

const NEVER: Test = () => false;

function addressTest(condition: Condition): Test {
  if (condition.op === "ex" || condition.op === "nex") return ({ address }) => address !== undefined;
  if (!isEquality(condition)) return NEVER;
  const networks = indexNetworks(
    expectedTexts(condition).map((text) => [text, null] as const),
    () => null,
  );
  return ({ address }) => address !== undefined && networks.contains(address);
}

/** The shared conditions of which one has to match. */
function sharedOf(condition: Condition, shared: SharedConditions): readonly SharedEntry[] {
  if (condition.op === "ex" || condition.op === "nex") return [...shared.values()].flat();
  return isEquality(condition) ? expectedTexts(condition).flatMap((id) => shared.get(id) ?? []) : [];
}

function compileCondition(condition: Condition, at: number, shared: SharedConditions): CompiledCondition {
  const operand = operandOf(condition);
  let test: Test;
  let actual: (request: RequestView) => readonly string[];
  let prepare: Preparation | null = null;
  let readsBody = condition.type === "body";
  if (operand) {
    const { read } = operand;
    const isMatch = valuesTest(condition);
    prepare = isMatch.prepare ?? null;
    test = (request) => isMatch(read(request));
    actual = (request) => read(request).texts;
  } else if (condition.type === "ip_address") {
    test = addressTest(condition);
    actual = ({ address, attributes }) => (address ? [attributes.ip as string] : []);
  } else {
    const named = sharedOf(condition, shared);
    test = (request) => named.some(({ matches }) => matches(request));
    readsBody = named.some(({ groups }) => readBodies(groups));
    actual = (request) =>
      [...shared.values()].flatMap((all) => all.filter(({ matches }) => matches(request)).map(({ id }) => id));
  }
  return {
    source: condition,
    at,
    readsBody,
    matches: isNegated(condition) ? (request) => !test(request) : test,
    actual,
    prepare,
  };
}

export function compileGroups(groups: readonly ConditionGroup[], shared: SharedConditions): readonly CompiledGroup[] {
  return groups.map(({ conditions }) =>
    conditions
      .map((condition, at) => compileCondition(condition, at, shared))
      .toSorted((a, b) => Number(a.readsBody) - Number(b.readsBody)),
  );
}

export function readBodies(groups: readonly CompiledGroup[]): boolean {
  return groups.some((conditions) => conditions.some(({ readsBody }) => readsBody));
}

/** The groups that read bodies, without the conditions that do. */
export function groupsBeforeBody(groups: readonly CompiledGroup[]): readonly CompiledGroup[] {
  return groups
    .filter((group) => readBodies([group]))
    .map((conditions) => conditions.filter(({ readsBody }) => !readsBody));
}

/** Whether the body decides about one of the groups that `groupsBeforeBody` returned. */
export function needsBody(before: readonly CompiledGroup[], request: RequestView): boolean {
  return before.some((conditions) =>
    conditions.every(({ matches }) => {
      countStep();
      return matches(request);
    }),
  );
}

export function preparationsOf(groups: readonly CompiledGroup[]): readonly Preparation[] {
  return groups.flatMap((conditions) => conditions.flatMap(({ prepare }) => prepare ?? []));
}

export function isGroupMatching(group: CompiledGroup, request: RequestView): boolean {
  for (const { matches } of group) {
    countStep();
    if (!matches(request)) return false;
  }
  return group.length > 0;
}

export function isMatching(groups: readonly CompiledGroup[], request: RequestView): boolean {
  for (const group of groups) if (isGroupMatching(group, request)) return true;
  return false;
}

/** Each shared condition is evaluated at most once per request. Inactive ones never match, so they are left out. */
export function compileShared(conditions: readonly SharedCondition[]): SharedConditions {
  const found = new Map<string, SharedEntry[]>();
  for (const [at, { id, active, conditionGroup }] of conditions.entries()) {
    const groups = compileGroups(conditionGroup, NO_SHARED_CONDITIONS);
    if (!active) continue;
    const matches: Test = (request) => (request.shared[at] ??= isMatching(groups, request));
    found.set(id, [...(found.get(id) ?? []), { id, groups, matches }]);
  }
  return found;
}
