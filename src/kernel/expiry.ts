// When something ends that a request asks for.
import { ApiError } from "./errors.ts";

/** Refuses a moment that has passed already, for the body's `expiresAt`; null never comes. */
export function requireFuture(expiresAt: number | null, now: number): void {
  if (expiresAt === null || expiresAt > now) return;
  throw new ApiError("invalid_expiry", "body.expiresAt: expected a time in the future, in ms since the epoch", {
    field: "body.expiresAt",
  });
}
