// Counts the requests of a client by fixed window or token bucket, in whole numbers, so that nothing is rounded.
import { createHash } from "node:crypto";
import type { Counters } from "./counters.ts";
import type { RateLimit } from "./config.ts";
import type { RequestView } from "./request/request.ts";

export interface Count {
  readonly isExceeded: boolean;
  /** ms until the client may try again; 0 unless the limit is exceeded. */
  readonly waitMs: number;
  /** Requests in the window including this one, or whole tokens left. */
  readonly count: number;
}

type ReadKey = (request: RequestView) => string | undefined;

const KEYS: Readonly<Record<string, ReadKey>> = {
  ip: ({ address }) => address?.join("."),
  ja3: (request) => request.textOf("ja3_digest"),
  ja4: (request) => request.textOf("ja4_digest"),
  host: (request) => request.textOf("host"),
  path: (request) => request.path,
  method: (request) => request.textOf("method"),
  user_agent: (request) => request.textOf("user_agent"),
  geo_country: (request) => request.textOf("geo_country"),
  geo_as_number: (request) => request.textOf("geo_as_number"),
};

function compileKey(key: string): ReadKey {
  const at = key.indexOf(":");
  const name = key.slice(at + 1);
  switch (at < 0 ? "" : key.slice(0, at)) {
    case "header": {
      const lower = name.toLowerCase();
      return (request) => request.named("header", lower).texts[0];
    }
    case "cookie":
      return (request) => request.named("cookie", name).texts[0];
    case "query":
      return (request) => request.named("query", name).texts[0];
    default:
      return Object.hasOwn(KEYS, key) ? (KEYS[key] as ReadKey) : () => undefined;
  }
}

/** Longer keys are stored as their digest, since requests determine their length. */
const MAX_CLIENT_LENGTH = 200;

/** Returns the key of the client that a rate limit counts. It is injective: it differs whenever one of the values does. */
export function compileClient(keys: readonly string[]): (request: RequestView) => string {
  const readers = keys.map(compileKey);
  return (request) => {
    let client = "";
    for (const read of readers) {
      const value = read(request) ?? "";
      client += `${value.length}:${value}`;
    }
    return client.length <= MAX_CLIENT_LENGTH
      ? client
      : createHash("sha256").update(client, "utf16le").digest("base64");
  };
}

export type CountRequest = (counters: Counters, client: string, now: number) => Count;

const MS_PER_SECOND = 1_000;

function countWindow(rule: string, window: number, limit: number): CountRequest {
  const windowMs = window * MS_PER_SECOND;
  return (counters, client, now) => {
    const startsAt = Math.floor(now / windowMs) * windowMs;
    const endsAt = startsAt + windowMs;
    const key = rule + client;
    const known = counters.get(key, now);
    const count = known?.kind === "window" && known.startsAt === startsAt ? known.count + 1 : 1;
    counters.set(key, { kind: "window", startsAt, count, endsAt }, now);
    const isExceeded = count > limit;
    return { isExceeded, waitMs: isExceeded ? endsAt - now : 0, count };
  };
}

/** A token has as many fractions as the window has milliseconds, so `limit` fractions arrive per millisecond. */
function countTokens(rule: string, window: number, limit: number): CountRequest {
  const token = window * MS_PER_SECOND;
  const capacity = limit * token;
  return (counters, client, now) => {
    const key = rule + client;
    const known = counters.get(key, now);
    // At most the time that fills the bucket, so that the numbers stay exact.
    const elapsed = known?.kind === "bucket" ? Math.min(token, Math.max(0, now - known.at)) : token;
    const before = known?.kind === "bucket" ? Math.min(capacity, known.level + elapsed * limit) : capacity;
    const isExceeded = before < token;
    const level = isExceeded ? before : before - token;
    const endsAt = now + Math.ceil((capacity - level) / limit);
    counters.set(key, { kind: "bucket", at: now, level, endsAt }, now);
    return {
      isExceeded,
      waitMs: isExceeded ? Math.ceil((token - before) / limit) : 0,
      count: Math.floor(level / token),
    };
  };
}

/** `rule` prefixes the rule's keys in the counters. */
export function compileCount(rule: string, { algo, window, limit }: RateLimit): CountRequest {
  return algo === "token_bucket" ? countTokens(rule, window, limit) : countWindow(rule, window, limit);
}
