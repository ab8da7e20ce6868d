// Which client a rate limit counts a request for, and by which counter.
import { createHash } from "node:crypto";
import type { RateLimit } from "./config.ts";
import type { Limit } from "./counting.ts";
import type { RequestView } from "./request/request.ts";

/** Words of an IPv6 address that one customer usually has, a /64: it can send from any address in it. */
const SUBSCRIBER_WORDS = 2;

/** The client that has the address, for counters and holds; undefined: the address is unknown. */
export function addressClient({ address }: RequestView): string | undefined {
  return address?.slice(0, SUBSCRIBER_WORDS).join(".");
}

type ReadKey = (request: RequestView) => string | undefined;

const KEYS: Readonly<Record<string, ReadKey>> = {
  ip: addressClient,
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

const MS_PER_SECOND = 1_000;

/** Without its hold and what follows it, which are the rule's. */
export function compileLimit(id: string, { algo, window, limit, keys }: RateLimit): Omit<Limit, "hold" | "continues"> {
  return {
    rule: id,
    key: JSON.stringify(["count", id, algo, window, keys]),
    algo: algo === "token_bucket" ? algo : "fixed_window",
    windowMs: window * MS_PER_SECOND,
    limit,
  };
}
