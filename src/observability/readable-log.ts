// Lines of the log as a person reads them on a terminal; everywhere else they are JSON.
import { toPrintable } from "../kernel/text/printable-text.ts";

interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly msg?: string;
  readonly pid?: number;
  readonly hostname?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [fact: string]: unknown;
}

/** Of the line of a request. */
interface RequestAttributes {
  readonly method?: string;
  readonly route?: string | null;
  readonly status?: number;
  readonly durationMs?: number;
  readonly operation?: string;
}

function factsOf(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `  ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
}

/** `line` is JSON as the log writes it. */
export function readableLine(line: string): string {
  const { level, time, msg = "", err, pid: _pid, hostname: _hostname, ...facts } = JSON.parse(line) as LogLine;
  const at = new Date(time).toTimeString().slice(0, 8);
  const { method, route, status, durationMs, operation: _operation, ...others } = facts as RequestAttributes;
  const [text, rest] =
    msg === "request" ? [`${method} ${route ?? "(no such path)"} ${status} in ${durationMs} ms`, others] : [msg, facts];
  // The stack begins with the message.
  const cause = (err?.stack ?? err?.message ?? "").split("\n").filter((part) => part !== "");
  const lines = [`${at} ${level.padEnd(5)} ${text}${factsOf(rest)}`, ...cause.map((part) => `    ${part.trim()}`)];
  return `${lines.map(toPrintable).join("\n")}\n`;
}
