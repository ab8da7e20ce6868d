// Optimistic locking: every mutable object counts its revisions. `ETag` shows the count, and `If-Match` requires it.
import { ApiError } from "./errors.ts";

/** The `ETag` of a revision, or of a digest; null: none. */
export function entityTag(state: number | string): string;
export function entityTag(state: number | string | undefined): string | null;
export function entityTag(state: number | string | undefined): string | null {
  return state === undefined ? null : `"${state}"`;
}

/** Whether an `If-None-Match` names the tag. RFC 9110, 13.1.2 */
export function namesTag(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(",").some((part) => ["*", etag, `W/${etag}`].includes(part.trim()));
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
