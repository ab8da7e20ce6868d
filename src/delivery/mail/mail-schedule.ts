// When mail is tried again. RFC 5321, 4.5.4.1 asks for growing intervals and four to five days of patience.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../kernel/scheduling/clock.ts";

/** After the first, second, ... failure; the last one repeats. */
const DELAYS_MS = [30 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, DAY_MS] as const;
const PATIENCE_MS = 5 * DAY_MS;
/** Spreads what failed together, so that it does not come back together. */
const JITTER = 0.2;

/** How long a mail may wait at most after so many attempts: its index. */
export const LONGEST_DELAYS_MS = [0, ...DELAYS_MS.map((delay) => delay * (1 + JITTER))];

/** When a mail is tried again that was not accepted at `now`; null when it has been tried for long enough. */
export function nextAttemptAt(
  { attempts, createdAt }: { readonly attempts: number; readonly createdAt: number },
  now: number,
  random: number,
): number | null {
  const delay = DELAYS_MS[Math.min(attempts, DELAYS_MS.length) - 1] as number;
  const at = now + Math.round(delay * (1 + JITTER * (2 * random - 1)));
  return at - createdAt > PATIENCE_MS ? null : at;
}
