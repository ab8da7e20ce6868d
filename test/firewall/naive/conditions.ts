// Decides whether a condition matches, one comparison after the other.
import type { Condition, ConditionGroup, Configuration } from "../../../src/firewall/evaluator/config.ts";
import { isInNetwork, parseNetwork } from "./address.ts";
import { expressionOf } from "./expression.ts";
import { readNumber } from "./numbers.ts";
import type { NaiveRequest } from "./request.ts";

/** The values of the request that a condition compares; none when they are unknown. */
export function valuesOf(condition: Pick<Condition, "type" | "key">, request: NaiveRequest): readonly string[] {
  const { attributes } = request;
  const one = (value: string | number | undefined): string[] => (value === undefined ? [] : [String(value)]);
  const named = (pairs: NaiveRequest["query"], name: string): string[] =>
    pairs.filter(([each]) => each === name).map(([, value]) => value);
  const key = condition.key ?? "";
  switch (condition.type) {
    case "host":
      return one(request.host);
    case "path":
      return request.paths;
    case "raw_path":
      return request.rawPaths;
    case "target_path":
      return request.targetPaths;
    case "method":
      return one(request.method);
    case "header":
      return named(request.headers, key.toLowerCase());
    case "query":
      return named(request.query, key);
    case "cookie":
      return named(request.cookies, key);
    case "body":
      return key === "*" ? request.body.map(([, value]) => value) : named(request.body, key);
    case "scheme":
      return one(request.scheme);
    case "user_agent":
      return request.userAgents;
    case "route":
      return one(attributes.route);
    case "region":
      return one(attributes.region);
    case "protocol":
      return one(attributes.protocol);
    case "environment":
      return one(attributes.environment);
    case "domain_environment":
      return one(attributes.domainEnvironment);
    case "geo_continent":
      return one(attributes.geo?.continent);
    case "geo_country":
      return one(attributes.geo?.country);
    case "geo_country_region":
      return one(attributes.geo?.region);
    case "geo_city":
      return one(attributes.geo?.city);
    case "geo_as_number":
      return one(attributes.geo?.asNumber);
    case "ja3_digest":
      return one(attributes.ja3);
    case "ja4_digest":
      return one(attributes.ja4);
    case "rate_limit_api_id":
      return one(attributes.rateLimitApiId);
    case "server_action":
      return one(attributes.serverAction);
    case "bot_name":
      return one(attributes.bot?.name);
    case "bot_category":
      return one(attributes.bot?.category);
    case "bot_status":
      return one(attributes.bot?.status);
    case "bot_protection":
      return one(attributes.bot?.protection);
    case "traffic_source":
      return one(attributes.trafficSource);
    case "trusted_source":
      return one(attributes.trustedSource);
    case "ruleset":
      return [...(attributes.rulesets ?? [])];
    case "ip_address":
    case "shared_condition":
      throw new Error("not a text");
  }
}

/** Compares one value of the request with one of the condition. */
function fits(op: Condition["op"], actual: string, expected: string): boolean {
  const [a, e] = [actual.toLowerCase(), expected.toLowerCase()];
  switch (op) {
    case "eq":
    case "inc":
    case "list":
      return a === e;
    case "pre":
      return a.startsWith(e);
    case "suf":
      return a.endsWith(e);
    case "sub":
      return a.includes(e);
    case "re":
      return expressionOf(expected).test(actual);
    case "gt":
      return readNumber(actual) > readNumber(expected);
    case "gte":
      return readNumber(actual) >= readNumber(expected);
    case "lt":
      return readNumber(actual) < readNumber(expected);
    case "lte":
      return readNumber(actual) <= readNumber(expected);
    case "ex":
    case "nex":
    case "neq":
    case "ninc":
      throw new Error("no comparison");
  }
}

const EQUALITIES: readonly string[] = ["eq", "inc", "list"];
const OPPOSITES: Readonly<Partial<Record<Condition["op"], Condition["op"]>>> = { neq: "eq", ninc: "inc", nex: "ex" };

/** Called with the result of each evaluated condition before `neg` applies. */
export type Observe = (condition: Condition, isHolding: boolean) => void;

export interface Scope {
  readonly request: NaiveRequest;
  readonly configuration: Configuration;
  readonly isWithinShared: boolean;
  readonly observe?: Observe | undefined;
}

function holdsPlainly(condition: Condition, op: Condition["op"], scope: Scope): boolean {
  const { request, configuration, isWithinShared } = scope;
  const value = condition.value ?? [];
  const expected = (Array.isArray(value) ? value : [value]).map(String);
  if (condition.type === "ip_address") {
    if (op === "ex") return request.address !== undefined;
    return EQUALITIES.includes(op) && expected.some((text) => isInNetwork(request.address, parseNetwork(text)));
  }
  if (condition.type === "shared_condition") {
    if (isWithinShared || !(op === "ex" || EQUALITIES.includes(op))) return false;
    return (configuration.conditions ?? []).some(
      ({ id, active, conditionGroup }) =>
        active &&
        (op === "ex" || expected.includes(id)) &&
        matchesGroups(conditionGroup, { ...scope, isWithinShared: true }),
    );
  }
  const values = valuesOf(condition, request);
  if (op === "ex") return values.length > 0;
  return values.some((actual) => expected.some((each) => fits(op, actual, each)));
}

export function holds(condition: Condition, scope: Scope): boolean {
  const opposite = OPPOSITES[condition.op];
  const plain = opposite ? !holdsPlainly(condition, opposite, scope) : holdsPlainly(condition, condition.op, scope);
  scope.observe?.(condition, plain);
  return condition.neg === true ? !plain : plain;
}

export function matchesGroups(groups: readonly ConditionGroup[], scope: Scope): boolean {
  return groups.some(
    ({ conditions }) => conditions.length > 0 && conditions.every((condition) => holds(condition, scope)),
  );
}
