// Parses a condition and checks that its operator and its value are allowed for its type.
import type { Condition, ConditionType, Operator } from "../../evaluator/config.ts";
import { CONDITION_TYPES, OPERATORS } from "../../evaluator/config.ts";
import { attemptCost, patternCost } from "../../evaluator/cost.ts";
import { isHostName } from "../../evaluator/request/host-pattern.ts";
import { PatternError } from "../../evaluator/pattern/pattern.ts";
import { isEquality } from "../../evaluator/request/operand.ts";
import { parseNetwork } from "../../kernel/network/network.ts";
import { LIMITS } from "./config-schema.ts";
import { bool, choice, addError, object, optional, required, text } from "./parse-rules.ts";
import type { Parse, ParseContext } from "./parse-rules.ts";

type Scalar = string | number;

const SAME = ["eq", "neq", "inc", "ninc", "list", "ex", "nex"] as const;
const TEXT = [...SAME, "sub", "pre", "suf", "re"] as const;
const ORDER = ["gt", "gte", "lt", "lte"] as const;

const LISTS: ReadonlySet<Operator> = new Set(["inc", "ninc", "list"]);
const EXISTENCE: ReadonlySet<Operator> = new Set(["ex", "nex"]);
const NUMERIC: ReadonlySet<Operator> = new Set(ORDER);

interface TypeRule {
  readonly operators: readonly Operator[];
  /** `key` is required: the name of a header, query parameter or cookie. */
  readonly hasKey?: true;
  /** Checks a value of an operator that compares whole values. Returns what was expected, or null. */
  readonly whole?: (value: string) => string | null;
  /** Checks a value of the operator `pre`. */
  readonly beginning?: (value: string) => string | null;
}

const matching = (pattern: RegExp, what: string) => (value: string) => (pattern.test(value) ? null : what);

function oneOf(values: readonly string[]) {
  const known = new Set(values.map((value) => value.toLowerCase()));
  return (value: string) => (known.has(value.toLowerCase()) ? null : `one of ${values.join(", ")}`);
}

let regions: Intl.DisplayNames | undefined;

/** Created on first use: loading the names of regions would add a tenth to the start-up time. */
function isRegion(code: string): boolean {
  regions ??= new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  return regions.of(code) !== undefined;
}

/** Codes of unions, and of no region. */
const NO_COUNTRIES: ReadonlySet<string> = new Set(["EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"]);

// A look-up takes microseconds, and a configuration may have a hundred thousand.
const countries = new Map<string, boolean>();

function isCountry(code: string): boolean {
  const upper = code.toUpperCase();
  if (!/^[A-Z]{2}$/.test(upper)) return false;
  let isKnown = countries.get(upper);
  if (isKnown === undefined) {
    // A deprecated code, such as UK, is canonicalised to another one.
    const isCurrent = () => new Intl.Locale("und", { region: upper }).region === upper;
    isKnown = isRegion(upper) && !NO_COUNTRIES.has(upper) && isCurrent();
    countries.set(upper, isKnown);
  }
  return isKnown;
}

const fromSlash = matching(/^\//, "a path, which begins with /");
const TEXT_TYPE: TypeRule = { operators: TEXT };
const OPAQUE: TypeRule = { operators: SAME };
const KEYED: TypeRule = { operators: [...TEXT, ...ORDER], hasKey: true };

const RULES: Readonly<Record<ConditionType, TypeRule>> = {
  host: { operators: TEXT, whole: (value) => (isHostName(value) ? null : "a host name") },
  path: TEXT_TYPE,
  raw_path: TEXT_TYPE,
  target_path: { operators: TEXT, whole: fromSlash, beginning: fromSlash },
  route: TEXT_TYPE,
  server_action: TEXT_TYPE,
  user_agent: TEXT_TYPE,
  header: KEYED,
  query: KEYED,
  cookie: KEYED,
  method: {
    operators: SAME,
    whole: oneOf("GET HEAD POST DELETE PATCH PUT CONNECT OPTIONS TRACE DEBUG QUERY".split(" ")),
  },
  ip_address: {
    operators: SAME,
    whole: (value) => (parseNetwork(value) ? null : "an IPv4 or IPv6 address or network"),
  },
  protocol: { operators: SAME, whole: oneOf(["HTTP/1.1", "HTTP/2.0"]) },
  scheme: { operators: SAME, whole: oneOf(["http", "https"]) },
  environment: { operators: SAME, whole: oneOf(["preview", "production"]) },
  domain_environment: OPAQUE,
  region: { operators: SAME, whole: matching(/^[a-z0-9-]{2,32}$/i, "a region's code") },
  geo_continent: { operators: SAME, whole: oneOf(["AF", "AN", "AS", "EU", "NA", "OC", "SA"]) },
  geo_country: {
    operators: SAME,
    whole: (value) => (isCountry(value) ? null : "a country's code of ISO 3166-1 alpha-2"),
  },
  geo_country_region: TEXT_TYPE,
  geo_city: TEXT_TYPE,
  geo_as_number: { operators: [...TEXT, ...ORDER], whole: matching(/^\d{1,10}$/, "digits") },
  ja3_digest: TEXT_TYPE,
  ja4_digest: TEXT_TYPE,
  bot_name: TEXT_TYPE,
  bot_category: TEXT_TYPE,
  bot_status: OPAQUE,
  bot_protection: OPAQUE,
  rate_limit_api_id: OPAQUE,
  shared_condition: OPAQUE,
  traffic_source: OPAQUE,
  ruleset: OPAQUE,
  trusted_source: OPAQUE,
};

function checkPattern(value: string, at: string, context: ParseContext): void {
  if (value.length > LIMITS.patternLength) {
    addError(context, at, `expected at most ${LIMITS.patternLength} characters in an expression`);
    return;
  }
  // Compiling takes time, and the configuration is rejected anyway.
  if (context.patternCost > context.costLimit) return;
  try {
    context.patternCost += patternCost(value);
    if (context.patternCost > context.costLimit) {
      addError(
        context,
        at,
        `expected expressions that cost at most ${context.costLimit} in all; those up to here cost more`,
      );
    }
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    // An invalid expression took time too, and a body has room for thousands.
    context.patternCost += attemptCost(value);
    addError(context, at, error.message);
  }
}

function checkScalar(value: Scalar, op: Operator, rule: TypeRule, at: string, context: ParseContext): void {
  const shown = String(value);
  if (shown === "") addError(context, at, "expected at least 1 character");
  else if (op === "re") checkPattern(shown, at, context);
  else if (NUMERIC.has(op)) {
    if (!/^-?\d+(?:\.\d+)?$/.test(shown)) addError(context, at, "expected a decimal number");
  } else {
    const problem = isEquality({ op }) ? rule.whole?.(shown) : op === "pre" ? rule.beginning?.(shown) : null;
    if (problem) addError(context, at, `expected ${problem}`);
  }
}

function checkValue(op: Operator, value: Condition["value"], rule: TypeRule, at: string, context: ParseContext): void {
  if (EXISTENCE.has(op)) {
    const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) addError(context, at, `expected no value with the operator ${op}`);
  } else if (value === undefined) {
    addError(context, at, `is required with the operator ${op}`);
  } else if (typeof value === "object") {
    if (!LISTS.has(op))
      addError(context, at, `expected one value with the operator ${op}, got a list; for lists there is inc`);
    else if (value.length === 0) addError(context, at, "expected at least 1 value");
    value.forEach((item, index) => checkScalar(item, op, rule, `${at}[${index}]`, context));
  } else {
    checkScalar(value, op, rule, at, context);
  }
}

function checkKey(
  type: ConditionType,
  key: string | undefined,
  { hasKey }: TypeRule,
  at: string,
  context: ParseContext,
): void {
  if (!hasKey) {
    if (key !== undefined && key !== "") addError(context, `${at}.key`, `expected no key with the type ${type}`);
  } else if (key === undefined || key === "") {
    addError(context, `${at}.key`, `is required with the type ${type}: the name of the ${type}`);
  }
}

const scalar: Parse<Scalar> = (value, at, context) => {
  // JSON can express numbers, such as 1e999, that are not finite.
  if (Number.isFinite(value)) return value as number;
  if (typeof value !== "string") return addError(context, at, "expected a string or a number") as never;
  if (value.length > LIMITS.valueLength) addError(context, at, `expected at most ${LIMITS.valueLength} characters`);
  return value;
};

const value: Parse<Scalar | Scalar[]> = (given, at, context) => {
  if (!Array.isArray(given)) return scalar(given, at, context);
  if (given.length > LIMITS.values)
    addError(context, at, `expected at most ${LIMITS.values} values, got ${given.length}`);
  return given.slice(0, LIMITS.values).map((item, index) => scalar(item, `${at}[${index}]`, context));
};

export const parseCondition: Parse<Condition> = object<Condition>(
  {
    type: required(choice(CONDITION_TYPES)),
    op: required(choice(OPERATORS)),
    neg: optional(bool),
    key: optional(text({ max: 256 })),
    value: optional(value),
  },
  ({ type, op, key, value: given }, at, context, isValid) => {
    if (!isValid("type")) return;
    const rule = RULES[type];
    if (isValid("key")) checkKey(type, key, rule, at, context);
    if (!isValid("op")) return;
    if (!rule.operators.includes(op)) {
      addError(context, `${at}.op`, `expected one of ${rule.operators.join(", ")} with the type ${type}`);
    } else if (isValid("value")) checkValue(op, given, rule, `${at}.value`, context);
  },
);
