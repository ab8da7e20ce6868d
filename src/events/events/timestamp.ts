// Parses timestamps: milliseconds since 1970, or ISO 8601.
import { parseIsoTime } from "../../platform/kernel/text/iso-time.ts";

const MS = /^\d{1,15}(?:\.\d+)?$/;

/** The text of the error for anything else. */
export const TIMESTAMP_EXPECTED =
  "expected ms since the epoch, such as 1767225600000, or ISO 8601 as 2030-01-31T12:00:00Z";

/** The timestamp in milliseconds; undefined when the text is none. Without a zone it is UTC. */
export function parseTimestamp(text: string): number | undefined {
  return MS.test(text) ? Number(text) : parseIsoTime(text);
}
