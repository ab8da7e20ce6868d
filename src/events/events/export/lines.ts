// Events as lines of text, for exports: public events as NDJSON, and the chain's columns for verification.
import { chainText, readColumns } from "../chain.ts";
import { publicEvent } from "../event.ts";
import type { EventRow } from "../feed/feed-store.ts";
import type { ChainedEvent } from "../verify/verify-store.ts";

/** The public event as JSON. The stored JSON of payload and states is inserted without parsing it. */
export function eventText(row: EventRow, withPayload: boolean): string {
  const text = JSON.stringify(publicEvent(row, false));
  if (!withPayload) return text;
  const userAgent = row.userAgent === null ? "" : `"userAgent":${JSON.stringify(row.userAgent)},`;
  const states = `"payload":${row.payload},"previous":${row.previous ?? "null"},"next":${row.next ?? "null"}`;
  return `${text.slice(0, -1)},"ip":${JSON.stringify(row.ip)},${userAgent}${states}}`;
}

export function eventLine(row: EventRow, withPayload: boolean): string {
  return `${eventText(row, withPayload)}\n`;
}

/** A line with the columns that `hash` covers, so a file of these lines can be verified alone. */
export function chainLine(row: EventRow): string {
  return `{"columns":${chainText(row)},"hash":${JSON.stringify(row.hash)}}\n`;
}

/** The event of such a line, parsed as JSON; undefined when it is none. */
export function readChainLine(line: unknown): ChainedEvent | undefined {
  const { columns, hash } = (line ?? {}) as { readonly columns?: unknown; readonly hash?: unknown };
  if (!Array.isArray(columns) || typeof hash !== "string") return undefined;
  const event = readColumns(columns);
  return event && { ...event, hash };
}
