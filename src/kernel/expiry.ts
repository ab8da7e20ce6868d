// When something ends that a request asks for.
import { ApiError } from "./errors.ts";

/** Refuses a moment that has passed already, for the body's `expiresAt`; null never comes. */
export function requireFuture(expiresAt: number | null, now: number): void {
  if (expiresAt === null || expiresAt > now) return;
  throw new ApiError("invalid_expiry", "body.expiresAt: expected a time in the future, in ms since the epoch", {
    field: "body.expiresAt",
  });
}

/** Refuses a new credential that would outlive the one that asks for it, whose own end would mean nothing then. */
export function requireEndWithin(caller: { readonly expiresAt: number | null }, expiresAt: number | null): void {
  const end = caller.expiresAt;
  if (end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw new ApiError("forbidden", `body.expiresAt: expected at most ${end}, when the credential that asks ends`, {
    field: "body.expiresAt",
  });
}
