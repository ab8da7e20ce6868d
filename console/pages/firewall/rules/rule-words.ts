// Says in words what a rule does.
import type { Operator, RuleAction } from "../../../../src/firewall/evaluator/config.ts";
import type { Condition, Rule, SharedCondition } from "../config-types.ts";

export const EXCEEDED_WORDS = {
  rate_limit: "refuse it with 429",
  deny: "refuse it",
  challenge: "challenge it",
  log: "only log it",
  bypass: "let it past the rules below",
};
export const DURATION_WORDS = {
  "1m": "a minute",
  "5m": "5 minutes",
  "15m": "15 minutes",
  "30m": "30 minutes",
  "1h": "an hour",
};
export const ACTION_WORDS = {
  deny: "refuse it",
  challenge: "challenge it",
  log: "only log it",
  bypass: "let it past the rules below",
  rate_limit: "limit it",
  redirect: "redirect it",
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
  re: "matches the expression",
  eq: "is",
  neq: "is not",
  ex: "is there",
  nex: "is not there",
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
  re: "does not match the expression",
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

export function conditionWords(condition: Condition, shared: readonly SharedCondition[] = []): string {
  const { type, op, neg = false, key = "" } = condition;
  const opposite = neg ? OPPOSITES[op] : op;
  const how = opposite ? OPERATOR_WORDS[opposite] : NEGATED[op as keyof typeof NEGATED];
  const values = valuesOf(condition);
  const named =
    type === "shared_condition" ? values.map((id) => shared.find((one) => one.id === id)?.name ?? id) : values;
  return [TYPE_WORDS[type], key, how, listOf(named)].filter(Boolean).join(" ");
}

function groupWords(conditions: readonly Condition[], shared: readonly SharedCondition[]): string {
  return conditions.map((condition) => conditionWords(condition, shared)).join(" and ");
}

/** When the rule matches. */
export function whenWords(groups: Rule["conditionGroup"], shared: readonly SharedCondition[] = []): string {
  if (groups.length === 0) return "Never (it has no conditions)";
  const [first] = groups;
  if (groups.length === 1 && first) return `When ${groupWords(first.conditions, shared)}`;
  const each = groups.map(({ conditions }) => `(${groupWords(conditions, shared)})`);
  return `When ${each.join(", or ")}`;
}

function limitWords({ rateLimit }: Mitigation): string {
  if (!rateLimit) return "limit it";
  const { limit, window, keys, action, algo } = rateLimit;
  const exceeded = EXCEEDED_WORDS[(action || "rate_limit") as keyof typeof EXCEEDED_WORDS] ?? action ?? "";
  return `above ${limit} requests in ${window} s by ${keys.join(", ")}${algo === "token_bucket" ? ", spread evenly" : ""}, ${exceeded}`;
}

/** What happens to a request that matches. */
export function effectWords(mitigate: Mitigation | undefined): string {
  if (!mitigate) return "only log it";
  const { action, redirect, actionDuration, bypassSystem } = mitigate;
  if (action === "redirect" && redirect) {
    return redirect.permanent ? `redirect it to ${redirect.location} for good` : `redirect it to ${redirect.location}`;
  }
  const what = action === "rate_limit" ? limitWords(mitigate) : ACTION_WORDS[action as RuleAction];
  if (action === "bypass" && bypassSystem) return "let it past the rules below, the managed sets and attack mode";
  return actionDuration ? `${what}, and go on so for ${DURATION_WORDS[actionDuration]}` : what;
}

/** The rule as one sentence. */
export function ruleWords(
  rule: Pick<Rule, "conditionGroup" | "action">,
  shared: readonly SharedCondition[] = [],
): string {
  return `${whenWords(rule.conditionGroup, shared)}: ${effectWords(rule.action.mitigate)}.`;
}
