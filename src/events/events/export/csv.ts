// Events as rows of CSV (RFC 4180), for spreadsheets. A spreadsheet must not run text that users chose, such as names, as a
// formula, also where it splits lines at the separator of its locale and takes quotes for text:
// https://owasp.org/www-community/attacks/CSV_Injection
import { publicEvent } from "../event.ts";
import type { EventRow } from "../feed/feed-store.ts";

type PublicEvent = ReturnType<typeof publicEvent>;
/** In JSON, characters are escaped without a change of the value. */
type Value = string | number | null | undefined | { readonly json: string | null };
type Column = readonly [name: string, read: (event: PublicEvent, row: EventRow) => Value];

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
  ["userAgent", (_event, row) => row.userAgent],
  ["payload", (_event, { payload }) => ({ json: payload })],
  ["previous", (_event, { previous }) => ({ json: previous })],
  ["next", (_event, { next }) => ({ json: next })],
];

/** What separates cells in a locale or by a setting, also full-width and of Arabic scripts, and what ends lines somewhere. */
const SEPARATORS = ",;|，；،؛\\t\\r\\n\\v\\f\\u0085\\u2028\\u2029";
/**
 * What begins a formula, full-width forms included, at the beginning of a text and behind any separator, also behind quotes, spaces and
 * what is invisible.
 */
const FORMULA = new RegExp(`^(?=[\\t\\r\\n])|[=+\\-@＝＋－＠](?<=(?:^|[${SEPARATORS}])["'\\s\\p{C}]*.)`, "gu");
const NEEDS_QUOTES = new RegExp(`["${SEPARATORS}]`);
const JSON_STRING = /"(?:[^"\\]|\\.)*"/g;

const escape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The text of a cell that contains no formula. */
function textOf(value: Exclude<Value, null | undefined>): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return value.replaceAll(FORMULA, "'$&");
  return value.json?.replaceAll(JSON_STRING, (text) => text.replaceAll(FORMULA, escape)) ?? "";
}

function cellOf(value: Value): string {
  if (value === null || value === undefined) return "";
  const text = textOf(value);
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
