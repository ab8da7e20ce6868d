// The file of `reeve firewall test`: requests, and what is expected to become of each.
import { unknownKey } from "../kernel/text/nearest-name.ts";
import type { InputFault } from "./commands/firewall-trial.ts";
import { refuseFile } from "./located-file.ts";
import type { LocatedFile } from "./located-file.ts";

const ACTIONS = ["allow", "deny", "challenge", "redirect", "rate_limit", "bypass"];
const MAX_REPEAT = 100_000;

export interface Expectation {
  readonly name: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly repeat: number;
  readonly action: string;
  /** Name or id of what decides. */
  readonly rule?: string;
  readonly status?: number | null;
}

export interface ExpectationFile {
  /** Undefined when another file or the store has it. */
  readonly configuration: unknown;
  readonly attackMode: unknown;
  readonly bypasses: unknown;
  readonly expectations: readonly Expectation[];
}

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Notes faults and goes on, so that all are told at once. */
class Reader {
  readonly faults: InputFault[] = [];

  fault(field: string, message: string): void {
    this.faults.push({ field, message });
  }

  object(value: unknown, field: string, known: readonly string[] | null): Members {
    if (!isObject(value)) {
      this.fault(field, "expected an object");
      return {};
    }
    for (const name of known ? Object.keys(value) : []) {
      if (known?.includes(name)) continue;
      this.fault(field === "" ? name : `${field}.${name}`, unknownKey(name, known ?? []));
    }
    return value;
  }

  action(value: unknown, field: string): string {
    if (typeof value === "string" && ACTIONS.includes(value)) return value;
    this.fault(field, `expected one of ${ACTIONS.join(", ")}`);
    return "";
  }
}

/** Headers by name in lower case, so that a request's replace those of the defaults. */
function lowerNames(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, header]) => [name.toLowerCase(), header]));
}

/** The defaults with what the request says instead; null takes a default away. */
function merge(defaults: Members, request: Members): Members {
  const merged: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(request)) {
    const before = merged[name];
    if (value === null) delete merged[name];
    else merged[name] = isObject(value) && isObject(before) ? merge(before, value) : value;
  }
  return merged;
}

function withLowerNames(facts: Members): Members {
  return facts["headers"] === undefined ? facts : { ...facts, headers: lowerNames(facts["headers"]) };
}

function readExpected(reader: Reader, value: unknown, at: string): Pick<Expectation, "action" | "rule" | "status"> {
  if (!isObject(value)) return { action: reader.action(value, at) };
  const { action, rule, status } = reader.object(value, at, ["action", "rule", "status"]);
  if (rule !== undefined && typeof rule !== "string") reader.fault(`${at}.rule`, "expected a name or an id");
  if (status !== undefined && status !== null && !Number.isInteger(status)) {
    reader.fault(`${at}.status`, "expected an HTTP status, or null");
  }
  return {
    action: reader.action(action, `${at}.action`),
    ...(typeof rule === "string" && { rule }),
    ...(status !== undefined && { status: status as number | null }),
  };
}

function readExpectation(reader: Reader, value: unknown, at: string, defaults: Members): Expectation {
  const { name, request, repeat = 1, expect } = reader.object(value, at, ["name", "request", "repeat", "expect"]);
  if (typeof name !== "string" || name === "") reader.fault(`${at}.name`, "expected a name");
  if (!Number.isInteger(repeat) || (repeat as number) < 1 || (repeat as number) > MAX_REPEAT) {
    reader.fault(`${at}.repeat`, `expected an integer from 1 to ${MAX_REPEAT}`);
  }
  // A text alone is the URL.
  const facts = typeof request === "string" ? { url: request } : reader.object(request, `${at}.request`, null);
  return {
    name: String(name),
    facts: merge(defaults, withLowerNames(facts)),
    repeat: repeat as number,
    ...readExpected(reader, expect, `${at}.expect`),
  };
}

/** Reads the file's content; ends with everything that is wrong with its form. */
export function readExpectations(yaml: LocatedFile): ExpectationFile {
  const reader = new Reader();
  const known = ["configuration", "attackMode", "bypasses", "defaults", "expectations"];
  const {
    configuration,
    attackMode = false,
    bypasses = [],
    defaults = {},
    expectations,
  } = reader.object(yaml.value, "", known);
  const shared = withLowerNames(reader.object(defaults, "defaults", null));
  if (!Array.isArray(expectations) || expectations.length === 0) {
    reader.fault("expectations", "expected a list with an expectation at least");
  }
  const read = (Array.isArray(expectations) ? expectations : []).map((value: unknown, index) =>
    readExpectation(reader, value, `expectations[${index}]`, shared),
  );
  if (reader.faults.length > 0) refuseFile(yaml, reader.faults);
  return { configuration, attackMode, bypasses, expectations: read };
}
