// Times as people write them on a command line.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../kernel/scheduling/clock.ts";
import { Failure } from "./failure.ts";

const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const SPAN = /^(\d{1,6})([mhd])$/;
// A date alone is midnight UTC. A time needs an offset: without one the time zone would be a guess.
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Parses a time to come, a span from now (`30d`, `12h`) or a date; returns ms since the epoch. */
export function readExpiry(text: string, now: number, flag = "--expires"): number {
  const span = SPAN.exec(text);
  if (span) return now + Number(span[1]) * (UNITS_MS[span[2] as string] as number);
  const timeMs = TIMESTAMP.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(timeMs)) {
    throw new Failure("usage", `${flag}: expected 90m, 12h, 30d, 2030-01-31 or 2030-01-31T12:00Z, got "${text}"`);
  }
  return timeMs;
}
