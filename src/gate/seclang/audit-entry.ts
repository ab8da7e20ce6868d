// One line of ModSecurity's audit log (JSON): which request of which project was denied, or would have been, and by which rule.
import type { Configuration } from "../../evaluator/config.ts";
import { parseAddress } from "../../kernel/network/network.ts";
import { PROTOCOL, UNREADABLE, actionOf, categoryOf } from "./categories.ts";
import { COMPONENT, WOULD_DENY } from "./render.ts";

export interface AuditEntry {
  readonly project: string;
  readonly host: string;
  readonly ip: string | undefined;
  readonly isDenied: boolean;
  readonly rules: readonly MatchedRule[];
}

interface MatchedRule {
  readonly id: number;
  readonly category: string;
  /** 0 is the worst. */
  readonly severity: number;
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

function hostIn(headers: unknown): string {
  const [, host] =
    Object.entries(isRecord(headers) ? headers : {}).find(([name]) => name.toLowerCase() === "host") ?? [];
  return typeof host === "string" ? host : "";
}

/** ModSecurity 3.0 leaves the quotation mark at the end of a component. */
function projectIn(components: unknown): string | null {
  const names = listOf(components).filter((name) => typeof name === "string" && name.startsWith(COMPONENT));
  return names.length === 1 ? String(names[0]).slice(COMPONENT.length).replace(/"$/, "") : null;
}

/** Null: it is about no request of Reeve's rules. */
export function parseAuditEntry(line: string): AuditEntry | null {
  let transaction: unknown;
  try {
    transaction = member(JSON.parse(line), "transaction");
  } catch {
    return null;
  }
  const project = projectIn(member(transaction, "producer", "components"));
  if (project === null) return null;
  const matched = listOf(member(transaction, "messages")).map((message) => ({
    id: Number(member(message, "details", "ruleId")),
    severity: Number(member(message, "details", "severity") ?? LEAST_SEVERE),
  }));
  const isDenied =
    member(transaction, "producer", "secrules_engine") === "Enabled" && matched.some(({ id }) => DENIES.has(id));
  if (!isDenied && !matched.some(({ id }) => DENIES.has(id) || id === WOULD_DENY)) return null;
  const ip = member(transaction, "client_ip");
  return {
    project,
    host: hostIn(member(transaction, "request", "headers")),
    ip: typeof ip === "string" && parseAddress(ip) ? ip : undefined,
    isDenied,
    rules: matched.flatMap(({ id, severity }) => {
      const category = UNREADABLE.has(id) ? PROTOCOL : categoryOf(id);
      return category === null ? [] : [{ id, category, severity }];
    }),
  };
}

/** The rule that a request is counted under: the worst one of a category that denies, or of one that is logged; of equals the first. */
export function ruleOf({ rules, isDenied }: AuditEntry, configuration: Configuration | null): string | null {
  const wanted = isDenied ? "deny" : "log";
  const fitting = rules.filter(({ category }) => actionOf(configuration, category) === wanted);
  const [worst] = (fitting.length > 0 ? fitting : rules).toSorted((a, b) => a.severity - b.severity);
  return worst ? `crs:${worst.category}:${worst.id}` : null;
}
