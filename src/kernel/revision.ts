// Optimistic locking: every mutable object counts its revisions. `ETag` shows the count, and `If-Match` requires it.
import { ApiError } from "./errors.ts";

export function entityTag(revision: number): string {
  return `"${revision}"`;
}

/** Refuses a change when the request names a revision (`If-Match`) and the object has another one. */
export function requireRevision(call: { readonly ifMatch: string | null }, revision: number): void {
  if (call.ifMatch === null || call.ifMatch.trim() === "*") return;
  const current = entityTag(revision);
  const isMatch = call.ifMatch.split(",").some((tag) => tag.trim() === current);
  if (!isMatch) {
    throw new ApiError("revision_mismatch", `If-Match: expected ${current}, the current revision`, { etag: current });
  }
}
