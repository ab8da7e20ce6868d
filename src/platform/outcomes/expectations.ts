// Parses the file of `reeve firewall test`: requests, and the decision that is expected for each.
import { unknownKey } from "../kernel/text/nearest-name.ts";
import type { InputError } from "./firewall-trial.ts";
import { refuseFile } from "./located-file.ts";
import type { LocatedFile } from "./located-file.ts";

const ACTIONS = ["allow", "deny", "challenge", "redirect", "rate_limit", "bypass"];
const MAX_REPEAT = 100_000;

export interface Expectation {
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly repeat: number;
  readonly action: string;
  /** Name or id of the rule that decides. */
  readonly rule?: string;
  readonly status?: number | null;
}

export interface ExpectationFile {
  /** Undefined when the configuration comes from another file or from the store. */
  readonly configuration: unknown;
  readonly attackMode: unknown;
  readonly bypasses: unknown;
  readonly expectations: readonly Expectation[];
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Collects errors instead of stopping at the first, so that one run reports them all. */
class ExpectationParser {
  readonly errors: InputError[] = [];

  error(field: string, message: string): void {
    this.errors.push({ field, message });
  }

  object(value: unknown, field: string, known: readonly string[] | null): Members {
    if (!isObject(value)) {
      this.error(field, "expected an object");
      return {};
    }
    for (const name of known ? Object.keys(value) : []) {
      if (known?.includes(name)) continue;
      this.error(field === "" ? name : `${field}.${name}`, unknownKey(name, known ?? []));
    }
    return value;
  }

  action(value: unknown, field: string): string {
    if (typeof value === "string" && ACTIONS.includes(value)) return value;
    this.error(field, `expected one of ${ACTIONS.join(", ")}`);
    return "";
  }
}

/** Lower-cases header names, so that a request's headers replace the default ones. */
function lowerNames(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, header]) => [name.toLowerCase(), header]));
}

/** Merges a request over the defaults; null removes a default. */
function merge(defaults: Members, request: Members): Members {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(request)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) && isObject(before) ? merge(before, value) : value;
  }
  return merged;
}

function withLowerNames(attributes: Members): Members {
  return attributes["headers"] === undefined
    ? attributes
    : { ...attributes, headers: lowerNames(attributes["headers"]) };
}

function readExpected(
  parser: ExpectationParser,
  value: unknown,
  at: string,
): Pick<Expectation, "action" | "rule" | "status"> {
  if (!isObject(value)) return { action: parser.action(value, at) };
  const { action, rule, status } = parser.object(value, at, ["action", "rule", "status"]);
  if (rule !== undefined && typeof rule !== "string") parser.error(`${at}.rule`, "expected a name or an id");
  if (status !== undefined && status !== null && !Number.isInteger(status)) {
    parser.error(`${at}.status`, "expected an HTTP status, or null");
  }
  return {
    action: parser.action(action, `${at}.action`),
    ...(typeof rule === "string" && { rule }),
    ...(status !== undefined && { status: status as number | null }),
  };
}

function readExpectation(parser: ExpectationParser, value: unknown, at: string, defaults: Members): Expectation {
  const { name, request, repeat = 1, expect } = parser.object(value, at, ["name", "request", "repeat", "expect"]);
  if (typeof name !== "string" || name === "") parser.error(`${at}.name`, "expected a name");
  if (!Number.isInteger(repeat) || (repeat as number) < 1 || (repeat as number) > MAX_REPEAT) {
    parser.error(`${at}.repeat`, `expected an integer from 1 to ${MAX_REPEAT}`);
  }
  // A string is short for `{ url: ... }`.
  const attributes = typeof request === "string" ? { url: request } : parser.object(request, `${at}.request`, null);
  return {
    name: String(name),
    attributes: merge(defaults, withLowerNames(attributes)),
    repeat: repeat as number,
    ...readExpected(parser, expect, `${at}.expect`),
  };
}

/** Reads the file's content; throws a Failure that lists every error with its line. */
export function readExpectations(yaml: LocatedFile): ExpectationFile {
  const parser = new ExpectationParser();
  const known = ["configuration", "attackMode", "bypasses", "defaults", "expectations"];
  const {
    configuration,
    attackMode = false,
    bypasses = [],
    defaults = {},
    expectations,
  } = parser.object(yaml.value, "", known);
  const shared = withLowerNames(parser.object(defaults, "defaults", null));
  if (!Array.isArray(expectations) || expectations.length === 0) {
    parser.error("expectations", "expected a list with an expectation at least");
  }
  const read = (Array.isArray(expectations) ? expectations : []).map((value: unknown, index) =>
    readExpectation(parser, value, `expectations[${index}]`, shared),
  );
  if (parser.errors.length > 0) refuseFile(yaml, parser.errors);
  return { configuration, attackMode, bypasses, expectations: read };
}
