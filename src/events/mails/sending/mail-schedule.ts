// When mail is retried. RFC 5321, 4.5.4.1 asks for growing intervals, and for giving up after four to five days.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";

/** After the first, second, ... failure; the last one repeats. */
const DELAYS_MS = [30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, DAY_MS] as const;
const GIVE_UP_AFTER_MS = 5 * DAY_MS;
/** Spreads the retries of mails that failed together. */
const JITTER = 0.2;

/** The longest delay after each number of attempts, which is the index. */
export const LONGEST_DELAYS_MS = [0, ...DELAYS_MS.map((delay) => delay * (1 + JITTER))];

/** When a mail is retried that was not accepted at `now`; null when it is given up. */
export function nextAttemptAt(
  { attempts, createdAt }: { readonly attempts: number; readonly createdAt: number },
  now: number,
  random: number,
): number | null {
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] as number;
  const at = now + Math.round(delay * (1 + JITTER * (2 * random - 1)));
  return at - createdAt > GIVE_UP_AFTER_MS ? null : at;
}
