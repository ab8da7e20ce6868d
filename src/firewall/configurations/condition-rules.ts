// Parses a condition and checks that its operator and its value are allowed for its type.
import type { Condition, ConditionType } from "../evaluator/config.ts";
import { CONDITION_TYPES, OPERATORS } from "../evaluator/config.ts";
import { attemptCost, patternCost } from "../evaluator/cost.ts";
import { isHostName } from "../evaluator/request/host-pattern.ts";
import { PatternError } from "../evaluator/pattern/pattern.ts";
import { isEquality } from "../evaluator/request/operand.ts";
import { parseNetwork } from "../../platform/kernel/network/network.ts";
import { EXISTENCE, LISTS, NUMERIC, TYPES } from "../evaluator/condition-types.ts";
import { LIMITS } from "./config-schema.ts";
import { bool, choice, addError, object, optional, required, text } from "./parse-rules.ts";
import type { Parse, ParseContext } from "./parse-rules.ts";

type Scalar = string | number;

const matching = (pattern: RegExp, what: string) => (value: string) => (pattern.test(value) ? null : what);

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

/** Checks a value. Returns what was expected, or null. */
type CheckText = (value: string) => string | null;

/** The values that operators which compare whole values take, where they are no choice among a few. */
const WHOLE: Readonly<Partial<Record<ConditionType, CheckText>>> = {
  host: (value) => (isHostName(value) ? null : "a host name, without scheme, port and path"),
  target_path: fromSlash,
  ip_address: (value) => (parseNetwork(value) ? null : "an IPv4 or IPv6 address or network"),
  region: matching(/^[a-z0-9-]{2,32}$/i, "a region's code"),
  geo_country: (value) => (isCountry(value) ? null : "a country's code of ISO 3166-1 alpha-2, such as DE"),
  geo_as_number: matching(/^\d{1,10}$/, "digits"),
};

/** The values that `pre` takes. */
const BEGINNING: typeof WHOLE = { target_path: fromSlash };

function checkWhole(type: ConditionType, value: string): string | null {
  const { choices } = TYPES[type];
  if (!choices) return WHOLE[type]?.(value) ?? null;
  const isChoice = choices.some((one) => one.toLowerCase() === value.toLowerCase());
  return isChoice ? null : `one of ${choices.join(", ")}`;
}

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

function checkScalar(value: Scalar, { type, op }: Condition, at: string, context: ParseContext): void {
  const shown = String(value);
  if (shown === "") addError(context, at, "expected at least 1 character");
  else if (op === "re") checkPattern(shown, at, context);
  else if (NUMERIC.has(op)) {
    if (!/^-?\d+(?:\.\d+)?$/.test(shown)) addError(context, at, "expected a decimal number");
  } else {
    const problem = isEquality({ op }) ? checkWhole(type, shown) : op === "pre" ? BEGINNING[type]?.(shown) : null;
    if (problem) addError(context, at, `expected ${problem}`);
  }
}

function checkValue(condition: Condition, at: string, context: ParseContext): void {
  const { op, value } = condition;
  if (EXISTENCE.has(op)) {
    const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) addError(context, at, `expected no value with the operator ${op}`);
  } else if (value === undefined) {
    addError(context, at, `is required with the operator ${op}`);
  } else if (typeof value === "object") {
    if (!LISTS.has(op))
      addError(context, at, `expected one value with the operator ${op}, got a list; for lists there is inc`);
    else if (value.length === 0) addError(context, at, "expected at least 1 value");
    value.forEach((item, index) => checkScalar(item, condition, `${at}[${index}]`, context));
  } else {
    checkScalar(value, condition, at, context);
  }
}

function checkKey({ type, key }: Condition, at: string, context: ParseContext): void {
  if (!TYPES[type].hasKey) {
    if (key !== undefined && key !== "") addError(context, `${at}.key`, `expected no key with the type ${type}`);
  } else if (key === undefined || key === "") {
    const what = type === "body" ? "the name of a value of the body, or * for all" : `the name of the ${type}`;
    addError(context, `${at}.key`, `is required with the type ${type}: ${what}`);
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
  (condition, at, context, isValid) => {
    if (!isValid("type")) return;
    const { type, op } = condition;
    const { operators } = TYPES[type];
    if (isValid("key")) checkKey(condition, at, context);
    if (!isValid("op")) return;
    if (!operators.includes(op)) {
      addError(context, `${at}.op`, `expected one of ${operators.join(", ")} with the type ${type}`);
    } else if (isValid("value")) checkValue(condition, `${at}.value`, context);
  },
);
