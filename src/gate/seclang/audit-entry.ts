// One line of ModSecurity's audit log (JSON): which request of which project was denied, or would have been, and by which rule.
import type { Configuration } from "../../firewall/evaluator/config.ts";
import { parseAddress } from "../../platform/kernel/network/network.ts";
import { PROTOCOL, UNREADABLE, actionOf, categoryOf } from "./categories.ts";
import { COMPONENT, WOULD_DENY } from "./render.ts";

export interface AuditEntry {
  /** Of the transaction; the web server's request id as deploy/gate/ sets it up. */
  readonly id: string;
  readonly project: string;
  readonly host: string;
  readonly ip: string | undefined;
  readonly isDenied: boolean;
  readonly rules: readonly MatchedRule[];
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface MatchedRule {
  readonly id: number;
  readonly category: string;
  /** 0 is the worst. */
  readonly severity: number;
  /** What the rule set says of it. */
  readonly message: string;
  /** Where it was found, such as `ARGS:q`; null: the log does not say. */
  readonly variable: string | null;
}

/** The rules that deny by the score: of a whole request, and of its head (version 4). */
const DENIES = new Set([949_110, 949_111]);
const LEAST_SEVERE = 8;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isRecord(at) ? at[name] : undefined), value);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function headersIn(headers: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(isRecord(headers) ? headers : {}).map(([name, value]) => [name.toLowerCase(), textOf(value)]),
  );
}

/** Names a variable, and never what it holds. Operators of one kind say it in the one place, and of the other kind in the other. */
const VARIABLE =
  /^(?:Matched "[^]{0,8192}? against variable `|Matched Data: [^]{0,8192}? found within )([A-Z_]{1,40}(?::[\w.-]{1,100})?)/;

function variableIn(details: unknown): string | null {
  const [, variable = null] =
    VARIABLE.exec(textOf(member(details, "match"))) ?? VARIABLE.exec(textOf(member(details, "data"))) ?? [];
  // Of a variable that holds names, what follows is what it holds: a body without `=` is one name.
  return variable?.replace(/_NAMES:.*/, "_NAMES") ?? null;
}

/** ModSecurity 3.0 leaves the quotation mark at the end of a component. */
function projectIn(components: unknown): string | null {
  const names = listOf(components).filter((name) => typeof name === "string" && name.startsWith(COMPONENT));
  return names.length === 1 ? String(names[0]).slice(COMPONENT.length).replace(/"$/, "") : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Between two rules that matched. Text of a request has no quotation mark without `\`. */
const NEXT_RULE = '}},{"message":"';

/** The whole rules of a line that was cut; they come last. */
const withoutRest = (line: string): string => `${line.slice(0, Math.max(line.lastIndexOf(NEXT_RULE), 0))}}}]}}`;

/** Null: it is about no request of Reeve's rules. */
export function parseAuditEntry(line: string): AuditEntry | null {
  const whole = parse(line);
  const transaction = member(whole ?? parse(withoutRest(line)), "transaction");
  const project = projectIn(member(transaction, "producer", "components"));
  if (project === null) return null;
  const matched = listOf(member(transaction, "messages")).map((message) => ({
    id: Number(member(message, "details", "ruleId")),
    severity: Number(member(message, "details", "severity") ?? LEAST_SEVERE),
    message: textOf(member(message, "message")),
    variable: variableIn(member(message, "details")),
  }));
  const isCut = whole === undefined;
  // The rules that deny are the last ones, and the log has no other requests than those that are denied, or would be.
  const denies = isCut
    ? member(transaction, "response", "http_code") === 403
    : matched.some(({ id }) => DENIES.has(id));
  const isDenied = member(transaction, "producer", "secrules_engine") === "Enabled" && denies;
  if (!isDenied && !isCut && !matched.some(({ id }) => DENIES.has(id) || id === WOULD_DENY)) return null;
  const ip = textOf(member(transaction, "client_ip"));
  const headers = headersIn(member(transaction, "request", "headers"));
  return {
    id: textOf(member(transaction, "unique_id")),
    project,
    host: headers["host"] ?? "",
    ip: parseAddress(ip) ? ip : undefined,
    isDenied,
    rules: matched.flatMap((rule) => {
      const category = UNREADABLE.has(rule.id) ? PROTOCOL : categoryOf(rule.id);
      return category === null ? [] : [{ ...rule, category }];
    }),
    method: textOf(member(transaction, "request", "method")),
    target: textOf(member(transaction, "request", "uri")),
    headers,
  };
}

/** The rule that a request is counted under: the worst one of a category that denies, or of one that is logged; of equals the first. */
export function worstRule({ rules, isDenied }: AuditEntry, configuration: Configuration | null): MatchedRule | null {
  const wanted = isDenied ? "deny" : "log";
  const fitting = rules.filter(({ category }) => actionOf(configuration, category) === wanted);
  return (fitting.length > 0 ? fitting : rules).toSorted((a, b) => a.severity - b.severity)[0] ?? null;
}

/** The rule in traffic and decisions. */
export function ruleId({ category, id }: MatchedRule): string {
  return `crs:${category}:${id}`;
}
