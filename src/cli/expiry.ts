// When a credential ends, as people write it: a span from now (`30d`, `12h`) or a date.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../kernel/clock.ts";
import { Failure } from "./failure.ts";

const UNITS_MS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const SPAN = /^(\d{1,6})([mhd])$/;
// A date alone is midnight UTC; a time needs its offset, because nobody knows which clock was meant.
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Reads an expiry, in ms since the epoch. */
export function readExpiry(text: string, now: number): number {
  const span = SPAN.exec(text);
  if (span) return now + Number(span[1]) * (UNITS_MS[span[2] as string] as number);
  const moment = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) {
    throw new Failure("usage", `--expires: expected 90m, 12h, 30d, 2030-01-31 or 2030-01-31T12:00Z, got "${text}"`);
  }
  return moment;
}
