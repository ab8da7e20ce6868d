// Formats lines of the log for people at a terminal; everywhere else they are JSON.
import { toPrintable } from "../../platform/kernel/text/printable-text.ts";

interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly msg?: string;
  readonly pid?: number;
  readonly hostname?: string;
  readonly err?: { readonly message?: string; readonly stack?: string };
  readonly [attribute: string]: unknown;
}

/** The attributes of a request's line. */
interface RequestAttributes {
  readonly method?: string;
  readonly route?: string | null;
  readonly status?: number;
  readonly durationMs?: number;
  readonly operation?: string;
}

function formatAttributes(attributes: Readonly<Record<string, unknown>>): string {
  return Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `  ${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
}

/** `line` is JSON, as the log writes it. */
export function readableLine(line: string): string {
  const { level, time, msg = "", err, pid: _pid, hostname: _hostname, ...attributes } = JSON.parse(line) as LogLine;
  const at = new Date(time).toTimeString().slice(0, 8);
  const { method, route, status, durationMs, operation: _operation, ...others } = attributes as RequestAttributes;
  const [text, rest] =
    msg === "request"
      ? [`${method} ${route ?? "(no such path)"} ${status} in ${durationMs} ms`, others]
      : [msg, attributes];
  // The stack begins with the message.
  const cause = (err?.stack ?? err?.message ?? "").split("\n").filter((part) => part !== "");
  const lines = [
    `${at} ${level.padEnd(5)} ${text}${formatAttributes(rest)}`,
    ...cause.map((part) => `    ${part.trim()}`),
  ];
  return `${lines.map(toPrintable).join("\n")}\n`;
}
