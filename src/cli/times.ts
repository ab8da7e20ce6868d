// Times as people write them on a command line.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../platform/kernel/scheduling/clock.ts";
import { parseIsoTime } from "../platform/kernel/text/iso-time.ts";
import { Failure } from "../platform/outcomes/failure.ts";

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const MS = /^\d{1,15}$/;
const SPAN = /^(\d{1,6})([smhd])$/;
/** A smaller number is of 1973 or before: no time that a command is about, but of the beginning of everything, 0. */
const LEAST_MS = 100_000_000_000;
const SECONDS = /^\d{9,11}$/;
const YEAR = /^(?:19|20)\d\d$/;
const MOST_DAYS = 1_000;

/** Of a time to come, and of one that was: what a span counts from. */
export type Direction = "ahead" | "back";

export const TIME_FORMS: Readonly<Record<Direction, string>> = {
  ahead: "90m, 12h, 30d from now, a date or a time",
  back: "90m, 12h, 30d ago, a date or a time",
};

/** What was probably meant by a number that is no time in ms. */
function meantBy(text: string): string {
  if (!MS.test(text)) return "";
  if (YEAR.test(text)) return `; did you mean ${text}-01-01?`;
  if (SECONDS.test(text)) return `; did you mean ${text}000, in ms?`;
  const forms = Number(text) > MOST_DAYS ? `${text}s` : `${text}d, ${text}h or ${text}m`;
  return `; did you mean ${forms}?`;
}

/**
 * Parses every time of a command line: a span from `now` (`30d`, `12h`), ISO 8601, which is UTC without an offset, or ms since the epoch.
 * Returns ms since the epoch.
 */
export function readTime(text: string, flag: string, direction: Direction, now = Date.now()): number {
  const span = SPAN.exec(text);
  const spanMs = Number(span?.[1]) * (UNITS_MS[span?.[2] ?? ""] ?? Number.NaN);
  if (span) return direction === "ahead" ? now + spanMs : now - spanMs;
  const timeMs = MS.test(text) ? Number(text) : parseIsoTime(text);
  const isPlausible = !MS.test(text) || timeMs === 0 || Number(text) >= LEAST_MS;
  if (timeMs !== undefined && isPlausible) return timeMs;
  throw new Failure(
    "usage",
    `${flag}: expected ${TIME_FORMS[direction]}, such as 2030-01-31, 2030-01-31T12:00Z or 1767225600000 (ms), got "${text}"${meantBy(text)}`,
  );
}

/** Parses a span such as `30s` or `24h`; returns ms. */
export function readSpan(text: string, flag: string): number {
  const [, count, unit = ""] = SPAN.exec(text) ?? [];
  const spanMs = Number(count) * (UNITS_MS[unit] ?? Number.NaN);
  if (spanMs > 0) return spanMs;
  throw new Failure("usage", `${flag}: expected a span from 1s on, such as 30s, 10m, 24h or 7d, got "${text}"`);
}

/** Timers take no more: a longer one would end at once. */
const MAX_WAIT_DAYS = 24;

/** A span that a timer can wait for. */
export function readWait(text: string, flag: string): number {
  const spanMs = readSpan(text, flag);
  if (spanMs <= MAX_WAIT_DAYS * DAY_MS) return spanMs;
  throw new Failure("usage", `${flag}: expected a span of at most ${MAX_WAIT_DAYS}d, got "${text}"`);
}

const STEPS = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", MINUTE_MS],
] as const;
/** Beyond this many days people count by the calendar. */
const SAID_DAYS = 30;

/** A time as people say it: `2 days ago`, `in 3 hours`; a date where that is long ago or far ahead. */
export function sayTime(timeMs: number, now: number): string {
  const distance = Math.abs(timeMs - now);
  if (distance > SAID_DAYS * DAY_MS) return new Date(timeMs).toISOString().slice(0, 10);
  const [unit, unitMs] = STEPS.find(([, ms]) => distance >= ms) ?? [];
  if (unit === undefined || unitMs === undefined) return timeMs > now ? "in a moment" : "just now";
  const count = Math.floor(distance / unitMs);
  const span = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return timeMs > now ? `in ${span}` : `${span} ago`;
}
