// Rate limits and holds, exact and never evicted. Fractions of tokens are counted in whole numbers.
import type { Mitigation, RateLimit } from "../../../src/firewall/evaluator/config.ts";
import { firstOf, type NaiveRequest } from "./request.ts";

export interface NaiveCounters {
  readonly windows: Map<string, number>;
  /** Each token has as many parts as the window has milliseconds. */
  readonly buckets: Map<string, { readonly parts: number; readonly at: number }>;
  readonly holds: Map<string, { readonly action: string; readonly until: number }>;
}

export function createNaiveCounters(): NaiveCounters {
  return { windows: new Map(), buckets: new Map(), holds: new Map() };
}

/** The address, or the half of it that one customer has. */
function writtenAddress({ address }: NaiveRequest): string {
  if (!address) return "";
  return `${address.width}:${address.width === 128 ? address.number >> 64n : address.number}`;
}

function keyValue(key: string, request: NaiveRequest): string {
  const { attributes } = request;
  const colon = key.indexOf(":");
  if (colon >= 0) {
    const name = key.slice(colon + 1);
    const kind = key.slice(0, colon);
    if (kind === "header") return firstOf(request.headers, name.toLowerCase()) ?? "";
    if (kind === "cookie") return firstOf(request.cookies, name) ?? "";
    if (kind === "query") return firstOf(request.query, name) ?? "";
  }
  const values: Readonly<Record<string, string | number | undefined>> = {
    ip: writtenAddress(request),
    ja3: attributes.ja3,
    ja4: attributes.ja4,
    host: request.host,
    path: request.paths[0],
    method: request.method,
    user_agent: request.userAgents[0],
    geo_country: attributes.geo?.country,
    geo_as_number: attributes.geo?.asNumber,
  };
  if (!Object.hasOwn(values, key)) throw new Error(`no key ${key}`);
  return String(values[key] ?? "");
}

/** The client by the keys of the rate limit, or by its address; undefined: the client is unknown, so it cannot be held. */
export function clientOf({ rateLimit, action }: Mitigation, request: NaiveRequest): string | undefined {
  if (action === "rate_limit" && rateLimit) return JSON.stringify(rateLimit.keys.map((key) => keyValue(key, request)));
  return request.address && JSON.stringify([writtenAddress(request)]);
}

/** Counts the request. Returns the milliseconds until a retry when it exceeds the limit, else undefined. */
export function count(counters: NaiveCounters, limit: RateLimit, counterName: string, now: number): number | undefined {
  const windowMs = limit.window * 1000;
  if (limit.algo === "fixed_window") {
    const window = Math.floor(now / windowMs);
    const name = JSON.stringify([counterName, window]);
    const number = (counters.windows.get(name) ?? 0) + 1;
    counters.windows.set(name, number);
    return number > limit.limit ? (window + 1) * windowMs - now : undefined;
  }
  const full = limit.limit * windowMs;
  const before = counters.buckets.get(counterName) ?? { parts: full, at: now };
  const parts = Math.min(full, before.parts + (now - before.at) * limit.limit);
  const isExceeded = parts < windowMs;
  counters.buckets.set(counterName, { parts: isExceeded ? parts : parts - windowMs, at: now });
  return isExceeded ? (windowMs - parts) / limit.limit : undefined;
}
