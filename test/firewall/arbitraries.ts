// Generates configurations: all that PUT accepts and, on demand, those that only docs/firewall.md gives a meaning to.
import fc from "fast-check";
import {
  ACTION_DURATIONS,
  CONDITION_TYPES,
  CRS_CATEGORIES,
  MANAGED_SETS,
  OPERATORS,
  type Condition,
  type ConditionGroup,
  type ConditionType,
  type Configuration,
  type CrsCategory,
  type IpEntry,
  type Mitigation,
  type Operator,
  type Rule,
  type SharedCondition,
} from "../../src/firewall/evaluator/config.ts";
import { ENFORCED } from "../../src/firewall/evaluator/managed.ts";
import { definedMembers } from "./defined-members.ts";
import { expression } from "./expressions.ts";
import { BODY_NAMES, COOKIE_NAMES, HOST_PATTERNS, NETWORKS, NUMBERS, QUERY_NAMES, VALUES } from "./pools.ts";

const SAME: readonly Operator[] = ["eq", "neq", "inc", "ninc", "list", "ex", "nex"];
const TEXT: readonly Operator[] = [...SAME, "sub", "pre", "suf", "re"];
const ORDER: readonly Operator[] = ["gt", "gte", "lt", "lte"];
const LISTS: readonly Operator[] = ["inc", "ninc", "list"];

const TEXT_TYPES: readonly ConditionType[] = [
  "host",
  "path",
  "raw_path",
  "target_path",
  "route",
  "server_action",
  "user_agent",
  "geo_country_region",
  "geo_city",
  "ja3_digest",
  "ja4_digest",
  "bot_name",
  "bot_category",
];
const KEYS: Readonly<Partial<Record<ConditionType, readonly string[]>>> = {
  header: ["X-One", "x-two", "Accept", "x-key"],
  query: QUERY_NAMES,
  cookie: COOKIE_NAMES,
  body: BODY_NAMES,
};

function operatorsOf(type: ConditionType): readonly Operator[] {
  if (type in KEYS || type === "geo_as_number") return [...TEXT, ...ORDER];
  return TEXT_TYPES.includes(type) ? TEXT : SAME;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

/** A value of the type's pool, or a part of one for operators that compare parts. */
function operand(type: ConditionType, op: Operator, pool: readonly string[]): fc.Arbitrary<string | number> {
  const whole = fc.constantFrom(...pool);
  if (op === "re") return expression(pool);
  if (ORDER.includes(op)) {
    return fc.oneof(fc.constantFrom(...NUMBERS, "64501"), fc.constantFrom(5, -3, 9.75, 64_500));
  }
  if (op === "pre" && type === "target_path") return fc.constantFrom("/", "/a", "/adm", "/API/");
  if (op === "pre") return fc.tuple(whole, fc.nat(4)).map(([text, less]) => text.slice(0, -less || undefined) || text);
  if (op === "suf") return fc.tuple(whole, fc.nat(4)).map(([text, from]) => text.slice(from) || text);
  if (op === "sub") {
    return fc.tuple(whole, fc.nat(4), fc.nat(4)).map(([text, a, b]) => text.slice(a, -b || undefined) || text);
  }
  const cased = fc.tuple(whole, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text));
  if (type === "geo_as_number") return fc.oneof(whole, fc.constantFrom(64_500, 5));
  // Upper-casing letters that fold to others would not give a host name, and ids are compared exactly.
  return type === "shared_condition" || type === "ip_address" ? whole : cased;
}

function condition(
  isStorable: boolean,
  shared: readonly string[],
  wanted: readonly ConditionType[] = CONDITION_TYPES,
): fc.Arbitrary<Condition> {
  const types = wanted.filter((type) => type !== "shared_condition" || shared.length > 0 || !isStorable);
  const arbitraries = types.flatMap((type) => {
    const pool = type === "shared_condition" && isStorable ? shared : VALUES[type];
    return (isStorable ? operatorsOf(type) : OPERATORS).map((op) => {
      const one = operand(type, op, pool);
      const list = fc.array(one, { minLength: 1, maxLength: 4 });
      const isExistence = op === "ex" || op === "nex";
      let value: fc.Arbitrary<Condition["value"] | undefined> = LISTS.includes(op) ? list : one;
      if (isExistence) value = maybe(fc.constant(""));
      else if (!isStorable) value = maybe(fc.oneof(one, fc.array(one, { maxLength: 3 })));
      const keys = KEYS[type];
      const key = keys ? fc.constantFrom(...keys) : maybe(fc.constant(""));
      return fc.record({ type: fc.constant(type), op: fc.constant(op), neg: maybe(fc.boolean()), key, value });
    });
  });
  return fc.oneof(...arbitraries).map((record) => definedMembers(record) as Condition);
}

function groups(one: fc.Arbitrary<Condition>, isStorable: boolean): fc.Arbitrary<readonly ConditionGroup[]> {
  const conditions = fc.array(one, { minLength: isStorable ? 1 : 0, maxLength: 3 });
  return fc.array(fc.record({ conditions }), { maxLength: 3 });
}

const rateLimit = fc
  .record({
    algo: fc.constantFrom("fixed_window", "token_bucket"),
    window: fc.constantFrom(10, 13, 60, 3_600),
    limit: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.constantFrom(7, 10_000_000)),
    keys: fc.uniqueArray(
      fc.constantFrom(
        ..."ip ja3 ja4 host path method user_agent geo_country geo_as_number".split(" "),
        ..."header:X-One cookie:sid query:a".split(" "),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    action: fc.constantFrom(undefined, null, "", "log", "challenge", "deny", "rate_limit", "bypass"),
  })
  .map((record) => definedMembers(record) as NonNullable<Mitigation["rateLimit"]>);

const redirect = fc.record({
  location: fc.constantFrom("/elsewhere", "https://example.com/?a=b%20", "http://example.com"),
  permanent: fc.boolean(),
});

const unset = fc.constantFrom(undefined, null);
const duration = fc.oneof(unset, fc.constantFrom(...ACTION_DURATIONS));

function mitigation(action: Mitigation["action"]): fc.Arbitrary<Mitigation> {
  const holds = action === "deny" || action === "challenge" || action === "rate_limit";
  return fc
    .record({
      action: fc.constant(action),
      rateLimit: action === "rate_limit" ? rateLimit : unset,
      redirect: action === "redirect" ? redirect : unset,
      actionDuration: holds ? duration : unset,
      bypassSystem: action === "bypass" ? fc.constantFrom(undefined, null, true, false) : unset,
    })
    .map((record) => definedMembers(record) as Mitigation);
}

const MITIGATIONS = [
  { weight: 3, arbitrary: mitigation("deny") },
  { weight: 2, arbitrary: mitigation("challenge") },
  { weight: 3, arbitrary: mitigation("log") },
  { weight: 2, arbitrary: mitigation("bypass") },
  { weight: 5, arbitrary: mitigation("rate_limit") },
  { weight: 2, arbitrary: mitigation("redirect") },
] as const;

const isActive = fc.integer({ min: 0, max: 9 }).map((number) => number !== 0);
const description = fc.constantFrom(undefined, null, "", "Why it is there");

function named(kind: string, list: readonly object[]): readonly object[] {
  return list.map((item, index) => definedMembers({ id: `${kind}_${index}`, name: `${kind} ${index}`, ...item }));
}

const action = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 19, arbitrary: fc.record({ mitigate: fc.oneof(...MITIGATIONS) }) },
);

type Groups = fc.Arbitrary<readonly ConditionGroup[]>;
type Action = fc.Arbitrary<{ readonly mitigate?: Mitigation }>;

const rulesOf = (conditionGroup: Groups, does: Action, bounds: fc.ArrayConstraints) =>
  fc
    .array(fc.record({ description, active: isActive, conditionGroup, action: does }), bounds)
    .map((list) => named("rule", list) as Rule[]);

// Most rules only log, so that requests reach the last of many.
const rareAction = fc.oneof({ weight: 1, arbitrary: action }, { weight: 15, arbitrary: fc.constant({}) });

/** Many rules of one shape, as an index serves them. */
const alikeRules = fc.oneof(
  ...(["host", "path", "raw_path", "ip_address", "header", "user_agent"] as const).map((type) => {
    const one = condition(true, [], [type]);
    const another = condition(true, [], ["method", "geo_country", type]);
    const conditions = fc.oneof(
      one.map((first) => [first]),
      fc.tuple(one, another),
    );
    return rulesOf(fc.array(fc.record({ conditions }), { minLength: 1, maxLength: 2 }), rareAction, {
      minLength: 10,
      maxLength: 70,
      size: "max",
    });
  }),
);

function rules(conditionGroup: Groups): fc.Arbitrary<readonly Rule[]> {
  return fc.oneof(
    { weight: 14, arbitrary: rulesOf(conditionGroup, action, { maxLength: 6 }) },
    { weight: 1, arbitrary: alikeRules },
  );
}

const ips = fc
  .array(
    fc.record({
      hostname: fc.constantFrom(...HOST_PATTERNS),
      ip: fc.constantFrom(...NETWORKS),
      notes: description,
      action: fc.constantFrom("deny", "challenge", "log", "log", "log", "bypass"),
    }),
    { maxLength: 3 },
  )
  .map((list) => list.map((item, index) => definedMembers({ id: `ip_${index}`, ...item }) as IpEntry));

const category = fc.record({ active: fc.boolean(), action: fc.constantFrom("deny", "log", "log") });
const crs = fc.oneof(
  unset,
  fc.record(Object.fromEntries(CRS_CATEGORIES.map((name) => [name, category])) as Record<CrsCategory, typeof category>),
);

const managedAction = fc.constantFrom(undefined, "log", "log", "challenge", "deny");
// Half of the sets are enforced, and are chosen three times as often.
const someSet = fc.constantFrom(...MANAGED_SETS, ...ENFORCED.flatMap(({ id }) => [id, id]));
const managedSwitch = someSet.chain((set) => {
  const ids = ENFORCED.find(({ id }) => id === set)?.tags ?? ["none"];
  const group = fc.record({ active: fc.boolean(), action: managedAction }).map(definedMembers);
  const ruleGroups = fc.uniqueArray(fc.tuple(fc.constantFrom(...ids), group), { selector: ([id]) => id });
  return fc
    .record({
      active: fc.boolean(),
      action: managedAction,
      ruleGroups: fc.option(ruleGroups.map(Object.fromEntries), { nil: undefined, freq: 2 }),
    })
    .map((record) => [set, definedMembers(record)] as const);
});

const managedRules = maybe(
  fc
    .uniqueArray(managedSwitch, { minLength: 1, maxLength: 6, selector: ([set]) => set })
    .map((entries) => Object.fromEntries(entries) as NonNullable<Configuration["managedRules"]>),
);

function configurations(isStorable: boolean): fc.Arbitrary<Configuration> {
  const withShared = (count: number) => {
    const shared = Array.from({ length: count }, (_, index) => `shared_${index}`);
    const inner = fc.record({
      description,
      active: isActive,
      conditionGroup: groups(condition(isStorable, []), isStorable),
    });
    return fc
      .record({
        firewallEnabled: fc.integer({ min: 0, max: 19 }).map((number) => number !== 0),
        crs,
        managedRules,
        rules: rules(groups(condition(isStorable, shared), isStorable)),
        ips,
        conditions: fc
          .array(inner, { minLength: count, maxLength: count })
          .map((list) => (count === 0 ? undefined : (named("shared", list) as SharedCondition[]))),
      })
      .map((record) => definedMembers(record) as Configuration);
  };
  return fc.oneof(withShared(0), withShared(1), withShared(3));
}

/** Condition groups without shared conditions. */
export const unsharedGroups: Groups = groups(condition(true, []), true);

/** What PUT accepts, with every condition type, operator, action and parameter. */
export const storableConfiguration: fc.Arbitrary<Configuration> = configurations(true);

/** Also what PUT rejects and docs/firewall.md gives a meaning to: a list or no value with any operator, any operator with any type. */
export const anyConfiguration: fc.Arbitrary<Configuration> = configurations(false);
