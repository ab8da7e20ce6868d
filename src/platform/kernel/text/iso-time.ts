// Reads times in ISO 8601 strictly: `Date.parse` finds a year in most texts, and takes February 30 for a day of March.

const ISO = /^(\d{4}-\d\d-(\d\d))(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** ms since the epoch; undefined: the text is none, or there is no such day. Without a zone it is UTC. */
export function parseIsoTime(text: string): number | undefined {
  const [, date, day, zone] = ISO.exec(text) ?? [];
  if (date === undefined || new Date(`${date}T00:00Z`).getUTCDate() !== Number(day)) return undefined;
  const time = Date.parse(text.includes("T") && zone === undefined ? `${text}Z` : text);
  return Number.isNaN(time) ? undefined : time;
}
