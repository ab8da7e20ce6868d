// Says in words what a rule does.
import type { Operator } from "../../../../src/firewall/evaluator/config.ts";
import type { Condition, Rule, SharedCondition } from "../config-types.ts";

export const EXCEEDED_WORDS = {
  rate_limit: "deny with 429",
  deny: "deny",
  challenge: "challenge",
  log: "log",
  bypass: "bypass the rules below",
};
export const DURATION_WORDS = {
  "1m": "1 minute",
  "5m": "5 minutes",
  "15m": "15 minutes",
  "30m": "30 minutes",
  "1h": "1 hour",
};
/** Before the name of the header, parameter, ... where a type has one. */
export const TYPE_WORDS = {
  host: "the host",
  path: "the path",
  method: "the method",
  header: "the header",
  query: "the query parameter",
  cookie: "the cookie",
  body: "the body’s value",
  target_path: "the target path",
  route: "the route",
  raw_path: "the path as sent",
  ip_address: "the client’s address",
  region: "the server’s region",
  protocol: "the protocol",
  scheme: "the scheme",
  environment: "the environment",
  domain_environment: "the domain’s environment",
  user_agent: "the user agent",
  geo_continent: "the continent",
  geo_country: "the country",
  geo_country_region: "the country’s region",
  geo_city: "the city",
  geo_as_number: "the autonomous system’s number",
  ja4_digest: "the JA4 digest",
  ja3_digest: "the JA3 digest",
  rate_limit_api_id: "the id of the rate limit API",
  server_action: "the server action",
  bot_name: "the bot’s name",
  bot_category: "the bot’s category",
  bot_status: "the bot’s status",
  bot_protection: "the bot protection’s result",
  shared_condition: "the shared condition",
  traffic_source: "the traffic source",
  ruleset: "the rule set",
  trusted_source: "the trusted source",
};
export const OPERATOR_WORDS = {
  re: "matches",
  eq: "is",
  neq: "is not",
  ex: "exists",
  nex: "is missing",
  inc: "is one of",
  ninc: "is none of",
  pre: "begins with",
  suf: "ends with",
  sub: "contains",
  gt: "is above",
  gte: "is at least",
  lt: "is below",
  lte: "is at most",
  list: "is in the list",
};
const NEGATED = {
  re: "does not match",
  pre: "does not begin with",
  suf: "does not end with",
  sub: "does not contain",
  gt: "is not above",
  gte: "is not at least",
  lt: "is not below",
  lte: "is not at most",
};
const MOST_VALUES = 3;

export type Mitigation = NonNullable<Rule["action"]["mitigate"]>;

export function valuesOf({ value }: Condition): readonly string[] {
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).map(String);
}

function listOf(values: readonly string[]): string {
  const shown = values.slice(0, MOST_VALUES);
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
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

/** How a condition compares; `isNot` inverts the operator. */
export interface Comparison {
  readonly op: Operator;
  readonly isNot: boolean;
}

/** The same comparison without an inversion, where an operator says the opposite. */
export function withoutNot({ op, isNot }: Comparison): Comparison {
  const opposite = isNot ? OPPOSITES[op] : undefined;
  return opposite ? { op: opposite, isNot: false } : { op, isNot };
}

export function operatorWords(comparison: Comparison): string {
  const { op, isNot } = withoutNot(comparison);
  return isNot ? NEGATED[op as keyof typeof NEGATED] : OPERATOR_WORDS[op];
}

/** Every comparison of a type once: operators, then what no operator says. */
export function comparisonsOf(operators: readonly Operator[]): readonly Comparison[] {
  return [
    ...operators.map((op) => ({ op, isNot: false })),
    ...operators.filter((op) => op in NEGATED).map((op) => ({ op, isNot: true })),
  ];
}

/** A piece of a sentence; a value is what somebody typed. */
export interface Piece {
  readonly text: string;
  readonly kind?: "value" | "action";
}
const plain = (text: string): Piece => ({ text });
const value = (text: string): Piece => ({ text, kind: "value" });

function joined(pieces: readonly (readonly Piece[])[], between: string): readonly Piece[] {
  return pieces.flatMap((one, at) => (at === 0 ? one : [plain(between), ...one]));
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

export function conditionPieces(condition: Condition, shared: readonly SharedCondition[] = []): readonly Piece[] {
  const { type, op, neg = false, key = "" } = condition;
  const values = valuesOf(condition);
  const named =
    type === "shared_condition" ? values.map((id) => shared.find((one) => one.id === id)?.name ?? id) : values;
  const listed = listOf(named);
  return joined(
    [
      [plain(TYPE_WORDS[type])],
      ...(key === "" ? [] : [[value(key)]]),
      [plain(operatorWords({ op, isNot: neg }))],
      ...(listed === "" ? [] : [[value(listed)]]),
    ],
    " ",
  );
}

export function conditionWords(condition: Condition, shared?: readonly SharedCondition[]): string {
  return textOf(conditionPieces(condition, shared));
}

/** When the rule matches. */
function whenPieces(groups: Rule["conditionGroup"], shared?: readonly SharedCondition[]): readonly Piece[] {
  if (groups.length === 0) return [plain("Never (it has no conditions)")];
  const each = groups.map(({ conditions }) =>
    joined(
      conditions.map((condition) => conditionPieces(condition, shared)),
      " and ",
    ),
  );
  return [plain("When "), ...joined(each, "; or when ")];
}

export function whenWords(groups: Rule["conditionGroup"], shared?: readonly SharedCondition[]): string {
  return textOf(whenPieces(groups, shared));
}

function limitPieces({ rateLimit }: Mitigation): readonly Piece[] {
  if (!rateLimit) return [{ text: "limit", kind: "action" }];
  const { limit, window, keys, action, algo } = rateLimit;
  const exceeded = EXCEEDED_WORDS[(action || "rate_limit") as keyof typeof EXCEEDED_WORDS] ?? action ?? "";
  return [
    plain("above "),
    value(`${limit} requests in ${window} s`),
    plain(` by ${keys.join(", ")}${algo === "token_bucket" ? ", spread evenly" : ""}, `),
    { text: exceeded, kind: "action" },
  ];
}

/** What happens to a request that matches. */
function effectPieces(mitigate: Mitigation | undefined): readonly Piece[] {
  const { action, redirect, actionDuration, bypassSystem } = mitigate ?? { action: "log" };
  const verb = (text: string): Piece => ({ text, kind: "action" });
  const duration = actionDuration
    ? [plain(", and the client for "), value(DURATION_WORDS[actionDuration])]
    : ([] as const);
  if (action === "redirect")
    return [
      verb("redirect"),
      plain(" to "),
      value(redirect?.location ?? ""),
      ...(redirect?.permanent ? [plain(" permanently")] : []),
    ];
  if (action === "bypass")
    return [
      verb("bypass"),
      plain(bypassSystem ? " the rules below, the managed sets and attack mode" : " the rules below"),
    ];
  if (action === "rate_limit" && mitigate) return [...limitPieces(mitigate), ...duration];
  return [verb(action), plain(" the request"), ...duration];
}

/** The rule as one sentence. */
export function rulePieces(
  { conditionGroup, action }: Pick<Rule, "conditionGroup" | "action">,
  shared?: readonly SharedCondition[],
): readonly Piece[] {
  return [...whenPieces(conditionGroup, shared), plain(": "), ...effectPieces(action.mitigate), plain(".")];
}

const SAID_BY_BADGE = new Set(["deny", "challenge", "log", "bypass"]);

/** The same beside the badge of its action: without an effect that the badge says. */
export function rowPieces(rule: Pick<Rule, "conditionGroup" | "action">, shared?: readonly SharedCondition[]) {
  const { action, actionDuration, bypassSystem } = rule.action.mitigate ?? { action: "log" };
  const isSaid = SAID_BY_BADGE.has(action) && !actionDuration && !bypassSystem;
  return isSaid ? whenPieces(rule.conditionGroup, shared) : rulePieces(rule, shared);
}

export function ruleWords(rule: Pick<Rule, "conditionGroup" | "action">, shared?: readonly SharedCondition[]): string {
  return textOf(rulePieces(rule, shared));
}
