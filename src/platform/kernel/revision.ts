// Optimistic locking: every mutable object counts its revisions. `ETag` shows the count, and `If-Match` requires it.
import { ApiError } from "./errors.ts";

/** The `ETag` of a revision, or of a digest; null: none. */
export function entityTag(state: number | string): string;
export function entityTag(state: number | string | undefined): string | null;
export function entityTag(state: number | string | undefined): string | null {
  return state === undefined ? null : `"${state}"`;
}

/** What compressing proxies add to a tag: Apache, Caddy, Jetty and LiteSpeed name the encoding. */
const ENCODING_SUFFIX = /(?:--?|[;:])(?:br|deflate|gz|gzip|zstd)(?="$)/;

/**
 * Whether `If-Match` or `If-None-Match` names the tag. The comparison is weak, because nginx and HAProxy weaken the tags of what they
 * compress; a tag names a state, not bytes. RFC 9110, 8.8.3.2
 */
export function namesTag(header: string, etag: string): boolean {
  return header.split(",").some((part) => {
    const tag = part.trim();
    const strong = tag.replace(/^W\/(?=")/, "");
    return tag === "*" || strong === etag || strong.replace(ENCODING_SUFFIX, "") === etag;
  });
}

/** Refuses a change that begins an object when the request requires that there is none (`If-None-Match: *`), and there is one. */
export function requireAbsent(call: { readonly ifNoneMatch: string | null }, revision: number): void {
  const current = entityTag(revision);
  if (call.ifNoneMatch === null || !namesTag(call.ifNoneMatch, current)) return;
  const problem = `expected none yet, and there is one: read it, and send its ETag, ${current}, as If-Match`;
  throw new ApiError("revision_mismatch", `If-None-Match: ${problem}`, { etag: current });
}

/**
 * Refuses a change when the request names a revision (`If-Match`) and the object has another one. A change may begin an object that is
 * not there: `*` names none then. RFC 9110, 13.1.1
 */
export function requireRevision(call: { readonly ifMatch: string | null }, revision: number, isThere = true): void {
  const current = entityTag(revision);
  if (call.ifMatch === null) return;
  const tags = call.ifMatch.split(",").filter((tag) => isThere || tag.trim() !== "*");
  if (namesTag(tags.join(), current)) return;
  const problem = isThere
    ? `expected ${current}, the current revision: read the object again, and send the change if it is still meant`
    : "there is nothing yet: leave it out to begin it";
  throw new ApiError("revision_mismatch", `If-Match: ${problem}`, { etag: current });
}
