// When a delivery is tried again. The intervals are those that Standard Webhooks suggests: ten attempts in three days.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";

/** After the first, second, ... failure. */
const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
/** Spreads what failed together, so that it does not come back together; never earlier than the interval. */
const JITTER = 0.1;

/** When a delivery is tried again whose attempt number `tries` failed at `now`; null when that was the last. */
export function nextTryAt(tries: number, now: number, random: number): number | null {
  const delay = DELAYS_MS[tries - 1];
  return delay === undefined ? null : now + Math.round(delay * (1 + JITTER * random));
}

/** Failures in a row after which a receiver is given time to recover. */
const PATIENCE = 5;
const FIRST_REST_MS = 5 * SECOND_MS;
const LONGEST_REST_MS = 5 * MINUTE_MS;

/** How long a receiver that failed so often in a row is left alone, before one delivery is tried on it (ms). */
export function restAfter(failures: number): number {
  if (failures < PATIENCE) return 0;
  return Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** Math.min(10, failures - PATIENCE));
}
