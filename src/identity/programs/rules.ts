// The life of what the authorization server keeps, and its bounds.
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

/** A person has this long to decide, ms. RFC 8628, section 3.2 */
export const REQUEST_MS = 10 * MINUTE_MS;
/** A program takes its token at once when the browser has brought it a code, ms. RFC 6749, section 4.1.2 */
export const CODE_MS = MINUTE_MS;
/** Expired records stay for a while, so that a program that asks for one learns that it expired. */
export const KEPT_AFTER_EXPIRY_MS = 10 * MINUTE_MS;

/** Requests that strangers have open: of one address, of the network around it, and of all. Each is a row until it expires. */
export const MOST_PENDING = { address: 20, site: 400, all: 10_000 } as const;

/** What a person may choose for the life of a token, in days; null: without an end. */
export const LIFETIMES_DAYS: readonly (number | null)[] = [1, 30, 90, null];
export const DEFAULT_LIFETIME_DAYS = 30;

/** The end of a token that was approved now, ms; null: none. */
export function endOf(lifetimeDays: number | null, now: number): number | null {
  return lifetimeDays === null ? null : now + lifetimeDays * DAY_MS;
}
