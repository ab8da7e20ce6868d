// Events as lines of text, for exports: NDJSON in the public form, and the chain's own columns for who verifies them.
import { chainText, readColumns } from "../chain.ts";
import { publicEvent } from "../event.ts";
import type { EventRow } from "../feed/feed-store.ts";
import type { ChainedEvent } from "../verify/verify-store.ts";

/** The public form as JSON. What is stored as JSON is put in as it is, instead of being read and written again. */
export function eventText(row: EventRow, withPayload: boolean): string {
  const text = JSON.stringify(publicEvent(row, false));
  if (!withPayload) return text;
  const userAgent = row.user_agent === null ? "" : `"userAgent":${JSON.stringify(row.user_agent)},`;
  const states = `"payload":${row.payload},"previous":${row.previous ?? "null"},"next":${row.next ?? "null"}`;
  return `${text.slice(0, -1)},"ip":${JSON.stringify(row.ip)},${userAgent}${states}}`;
}

export function eventLine(row: EventRow, withPayload: boolean): string {
  return `${eventText(row, withPayload)}\n`;
}

/** `columns` are exactly what `hash` covers, so a file of these lines proves itself. */
export function chainLine(row: EventRow): string {
  return `{"columns":${chainText(row)},"hash":${JSON.stringify(row.hash)}}\n`;
}

/** The event of such a line, as JSON read it; undefined when it is none. */
export function readChainLine(line: unknown): ChainedEvent | undefined {
  const { columns, hash } = (line ?? {}) as { readonly columns?: unknown; readonly hash?: unknown };
  if (!Array.isArray(columns) || typeof hash !== "string") return undefined;
  const event = readColumns(columns);
  return event && { ...event, hash };
}
