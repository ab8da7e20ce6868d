// The response cache. The response to an equal request is the same until somebody changes what it depends on, unless its handler read
// something besides the store (`Outcome.isCacheable`). So a cached response is sent again until then.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Endpoint } from "../../kernel/contract.ts";
import type { OperationRunner } from "../../operations/operation-runner.ts";
import { createVersionedCache } from "../../store/versioned-cache.ts";
import type { VersionedCache } from "../../store/versioned-cache.ts";
import { versionFor } from "../../store/versions.ts";
import type { StoreVersions } from "../../store/versions.ts";
import type { RenderedResponse } from "./rendered-response.ts";

export interface ResponseCache extends VersionedCache<RenderedResponse> {
  readonly versions: StoreVersions;
}

const MAX_BYTES = 16_000_000;
/** Approximate size of an entry without its texts. */
const ENTRY_BYTES = 500;

/** The response cache of a server; null where the store has no versions. */
export function createResponseCache({ versions }: OperationRunner): ResponseCache | null {
  if (!versions) return null;
  const cache = createVersionedCache<RenderedResponse>(versions, {
    capacity: MAX_BYTES,
    sizeOf: (key, { link, body }) => ENTRY_BYTES + key.length + (link?.length ?? 0) + (body?.length ?? 0),
  });
  return { ...cache, versions };
}

/** What a response depends on besides the store: the credential, the URL, and the headers that some endpoints read. */
function cacheKey({ url, headers }: IncomingMessage, credentialHash: string): string {
  return `${credentialHash} ${url}\n${headers.accept ?? ""}\n${headers["user-agent"] ?? ""}`;
}

/** The cache entry of one request. */
export interface CacheSlot {
  /** The cached response; undefined on a cache miss. */
  readonly response: RenderedResponse | undefined;
  /** Caches the response to this request. `ownerId` as in `StoreVersions.isCurrent`. */
  store(response: RenderedResponse, ownerId: string | null): void;
}

const keepCached = () => undefined;

/** Finds the cache slot of each request of an endpoint; null where its responses are not cached. */
export function createCacheSlotFinder(
  { method }: Endpoint,
  responseCache: ResponseCache | null,
): (request: FastifyRequest) => CacheSlot | null {
  if (!responseCache || method !== "GET") return () => null;
  return ({ raw, credential, caller }) => {
    const key = cacheKey(raw, credential.hash);
    const response = responseCache.find(key);
    if (response) return { response, store: keepCached };
    const readAt = versionFor(responseCache.versions, caller);
    return { response, store: (rendered, ownerId) => responseCache.set(key, rendered, readAt, ownerId) };
  };
}
