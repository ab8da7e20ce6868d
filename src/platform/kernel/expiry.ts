// Expiry times in requests and responses.
import { DAY_MS } from "./scheduling/clock.ts";
import type { Call } from "./contract.ts";
import { fieldError } from "./errors.ts";
import { isInSeconds } from "./units.ts";

interface ExpiryField {
  readonly field?: string;
  readonly atMostDays?: number;
}

/** Refuses an expiry time that has passed or is too far in the future; null means that nothing expires. */
export function requireFuture(
  end: number | null,
  now: number,
  { field = "body.expiresAt", atMostDays = Infinity }: ExpiryField = {},
): void {
  if (end === null || (end > now && end <= now + atMostDays * DAY_MS)) return;
  const limit = atMostDays === Infinity ? "" : ` and at most ${atMostDays} days ahead`;
  throw fieldError(
    "invalid_expiry",
    field,
    `expected a time in the future${limit}, in ms since the epoch${isInSeconds(end) ? `, got seconds: send ${end * 1_000}` : ""}`,
  );
}

/** An expiry time that is still in the future, else null. It reads `call.now` only where that decides, so that the response stays cacheable. */
export function endAhead(end: number | null, call: Pick<Call, "now">): number | null {
  return end !== null && end > call.now ? end : null;
}
