// Requests a minute per credential, counted in this process in fixed windows, and per address for credentials that
// nobody knows. The number of counters is bounded.
import { MINUTE_MS } from "../kernel/clock.ts";
import type { HeaderList } from "./header-list.ts";

const MAX_COUNTERS = 100_000;

interface Counter {
  count: number;
  resetAt: number;
}

export interface RateState {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, ms. */
  readonly resetAt: number;
}

export interface RateLimiter {
  /** Counts one request of `subject`. */
  count(subject: string, now: number): RateState;
}

/** A limiter of `limit` requests a minute; null when the limit is 0, which means off. */
export function createRateLimiter(limit: number): RateLimiter | null {
  if (limit === 0) return null;
  const counters = new Map<string, Counter>();

  /** A clock that was set back has left windows that would last until it is there again. */
  const isOpen = ({ resetAt }: Counter, now: number) => resetAt > now && resetAt <= now + MINUTE_MS;

  function counterOf(subject: string, now: number): Counter {
    const known = counters.get(subject);
    if (known && isOpen(known, now)) return known;
    // Re-inserting keeps the map in the order of the windows' starts, so the first entries are the oldest.
    counters.delete(subject);
    for (const [oldest, counter] of counters) {
      if (isOpen(counter, now) && counters.size < MAX_COUNTERS) break;
      counters.delete(oldest);
    }
    const counter = { count: 0, resetAt: now + MINUTE_MS };
    counters.set(subject, counter);
    return counter;
  }

  return {
    count(subject, now) {
      const counter = counterOf(subject, now);
      counter.count++;
      return {
        isAllowed: counter.count <= limit,
        limit,
        remaining: Math.max(0, limit - counter.count),
        resetAt: counter.resetAt,
      };
    },
  };
}

/** What an answer says of its credential's limit. */
export function rateHeaders({ limit, remaining, resetAt }: RateState, now: number): HeaderList {
  const secondsLeft = Math.max(0, Math.ceil((resetAt - now) / 1000));
  return [
    // The family that today's clients read, and the one of the IETF draft (draft-ietf-httpapi-ratelimit-headers).
    "x-ratelimit-limit",
    String(limit),
    "x-ratelimit-remaining",
    String(remaining),
    "x-ratelimit-reset",
    String(Math.ceil(resetAt / 1000)),
    "ratelimit-policy",
    `"credential";q=${limit};w=60`,
    "ratelimit",
    `"credential";r=${remaining};t=${secondsLeft}`,
  ];
}
