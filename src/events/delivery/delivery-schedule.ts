// When a delivery is retried, and when a failing receiver cools down. The intervals of retries are those that Standard Webhooks
// suggests: ten attempts in three days.
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";

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
/** Spreads the retries of deliveries that failed together; a retry is never earlier than its interval. */
const JITTER = 0.1;

/** When a delivery is retried whose attempt number `tries` failed at `now`; null when that was the last one. */
export function nextTryAt(tries: number, now: number, random: number): number | null {
  const delay = DELAYS_MS[tries - 1];
  return delay === undefined ? null : now + Math.round(delay * (1 + JITTER * random));
}

/** Failures in a row after which a receiver cools down. */
const TOLERATED_FAILURES = 5;
const FIRST_COOL_DOWN_MS = 5 * SECOND_MS;
const LONGEST_COOL_DOWN_MS = 5 * MINUTE_MS;

/** How long nothing is sent to a receiver that failed so often in a row (ms). One delivery is tried afterwards. */
export function coolDownAfter(failures: number): number {
  if (failures < TOLERATED_FAILURES) return 0;
  return Math.min(LONGEST_COOL_DOWN_MS, FIRST_COOL_DOWN_MS * 2 ** Math.min(10, failures - TOLERATED_FAILURES));
}
