// Reads the header Retry-After: how long a server or a receiver asks to wait. It imports nothing, because the client has it too.

/** What asks for more has a broken clock or means no time. */
const LONGEST_MS = 366 * 86_400_000;

const FULL_DAYS = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday";
const RFC_850 = new RegExp(`^(${FULL_DAYS}), (\\d\\d)-(\\w{3})-(\\d\\d) (\\d\\d:\\d\\d:\\d\\d) GMT$`);
const ASCTIME = /^(\w{3}) (\w{3}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/;

/** A year of two digits is at most 50 years ahead. RFC 9110, 5.6.7 */
function fullYear(short: string, now: number): number {
  const current = new Date(now).getUTCFullYear();
  const year = current - (current % 100) + Number(short);
  return year > current + 50 ? year - 100 : year;
}

/** One of the two obsolete forms of a date in the form of today; any other text as it is. */
function modernise(text: string, now: number): string {
  const [, weekday, day, month, short, time] = RFC_850.exec(text) ?? [];
  if (weekday && short) return `${weekday.slice(0, 3)}, ${day} ${month} ${fullYear(short, now)} ${time} GMT`;
  const [, name, monthName, dayOfMonth, clock, year] = ASCTIME.exec(text) ?? [];
  return dayOfMonth ? `${name}, ${dayOfMonth.replace(" ", "0")} ${monthName} ${year} ${clock} GMT` : text;
}

/**
 * The wait in ms, 0 for a time that has passed: of a number of seconds or an HTTP-date (RFC 9110, 10.2.3). Null for anything else,
 * because `Date.parse` finds a year in most texts.
 */
export function readRetryAfter(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, LONGEST_MS);
  const date = modernise(text, now);
  const at = Date.parse(date);
  if (Number.isNaN(at) || new Date(at).toUTCString() !== date) return null;
  return Math.min(Math.max(0, at - now), LONGEST_MS);
}
