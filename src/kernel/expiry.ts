// When something ends that a request asks for.
import { DAY_MS } from "./scheduling/clock.ts";
import type { Call } from "./contract.ts";
import { fieldError } from "./errors.ts";

/** What a moment is called in the request, and how far ahead it may lie. */
interface EndTerms {
  readonly field?: string;
  readonly atMostDays?: number;
}

/** Refuses a moment that has passed already, or that lies too far ahead; null never comes. */
export function requireFuture(
  end: number | null,
  now: number,
  { field = "body.expiresAt", atMostDays = Infinity }: EndTerms = {},
): void {
  if (end === null || (end > now && end <= now + atMostDays * DAY_MS)) return;
  const limit = atMostDays === Infinity ? "" : ` and at most ${atMostDays} days ahead`;
  throw fieldError("invalid_expiry", field, `expected a time in the future${limit}, in ms since the epoch`);
}

/** An end that lies ahead; null: there is none. The time is asked for only where it decides, so that answers last. */
export function endAhead(end: number | null, call: Pick<Call, "now">): number | null {
  return end !== null && end > call.now ? end : null;
}

/** Refuses a new credential that would outlive the one that asks for it, whose own end would mean nothing then. */
export function requireEndWithin(caller: { readonly expiresAt: number | null }, expiresAt: number | null): void {
  const end = caller.expiresAt;
  if (end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw fieldError("forbidden", "body.expiresAt", `expected at most ${end}, when the credential that asks ends`);
}
