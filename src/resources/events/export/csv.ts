// Events as rows of CSV (RFC 4180), for spreadsheets. A spreadsheet must not run text that users chose, such as names, as a
// formula:
// https://owasp.org/www-community/attacks/CSV_Injection
import { publicEvent } from "../event.ts";
import type { EventRow } from "../feed/feed-store.ts";

type PublicEvent = ReturnType<typeof publicEvent>;
type Column = readonly [name: string, read: (event: PublicEvent, row: EventRow) => string | number | null | undefined];

const COLUMNS: readonly Column[] = [
  ["sequence", ({ sequence }) => sequence],
  ["id", ({ id }) => id],
  ["createdAt", ({ createdAt }) => new Date(createdAt).toISOString()],
  ["type", ({ type }) => type],
  ["text", ({ text }) => text],
  ["principalType", ({ principal }) => principal?.type],
  ["principalId", ({ principalId }) => principalId],
  ["principalName", ({ principal }) => principal?.username ?? principal?.name],
  ["principalEmail", ({ principal }) => principal?.email],
  ["userId", ({ userId }) => userId],
  ["tokenId", ({ tokenId }) => tokenId],
  ["channel", ({ channel }) => channel],
  ["requestId", ({ requestId }) => requestId],
  ["clientRequestId", ({ clientRequestId }) => clientRequestId],
  ["entityId", ({ entityId }) => entityId],
  ["projectId", ({ projectId }) => projectId],
  ["hash", ({ hash }) => hash],
];

/** With `withPayload`. */
const PAYLOAD_COLUMNS: readonly Column[] = [
  ["ip", (_event, { ip }) => ip],
  ["userAgent", (_event, row) => row.user_agent],
  ["payload", (_event, { payload }) => payload],
  ["previous", (_event, { previous }) => previous],
  ["next", (_event, { next }) => next],
];

/** The characters that begin a formula in spreadsheets, full-width forms included. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NEEDS_QUOTES = /[",\r\n]/;

function cellOf(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function columnsOf(withPayload: boolean): readonly Column[] {
  return withPayload ? [...COLUMNS, ...PAYLOAD_COLUMNS] : COLUMNS;
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

export function csvHeader(withPayload: boolean): string {
  return lineOf(columnsOf(withPayload).map(([name]) => name));
}

export function csvLine(row: EventRow, withPayload: boolean): string {
  const event = publicEvent(row, false);
  return lineOf(columnsOf(withPayload).map(([, read]) => cellOf(read(event, row))));
}
