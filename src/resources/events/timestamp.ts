// Parses timestamps: milliseconds since 1970, or ISO 8601.

const MS = /^\d{1,15}(?:\.\d+)?$/;
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;
const HAS_ZONE = /(?:Z|[+-]\d\d:\d\d)$/;

/** The text of the error for anything else. */
export const TIMESTAMP_EXPECTED = "expected milliseconds since 1970, or ISO 8601 as 2030-01-31T12:00:00Z";

/** The timestamp in milliseconds; undefined when the text is none. Without a zone it is UTC. */
export function parseTimestamp(text: string): number | undefined {
  if (MS.test(text)) return Number(text);
  const time = ISO.test(text) ? Date.parse(text.includes("T") && !HAS_ZONE.test(text) ? `${text}Z` : text) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
