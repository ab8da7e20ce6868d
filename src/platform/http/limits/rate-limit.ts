// Limits requests per minute in fixed windows, which each process counts for itself: requests of an account over all of its credentials
// and the keys of teams that it answers for, those of gates apart; by address, requests with invalid credentials, forms of people who are
// not signed in, and requests of programs that have no credential yet.
// A large body counts as several requests. The number of counters is bounded.
import { accountableOf } from "../../kernel/caller.ts";
import type { Caller } from "../../kernel/caller.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import { subscriberOf } from "../../kernel/network/network.ts";
import type { HeaderList } from "../responses/header-list.ts";

const MAX_COUNTERS = 100_000;

interface Counter {
  count: number;
  resetAt: number;
}

/** What requests are counted by, as the headers name it. */
type RatePolicy = "principal" | "gate" | "address" | "visitor" | "program";

export interface RateState {
  readonly policy: RatePolicy;
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, ms. */
  readonly resetAt: number;
}

/** Counts requests under a key: an account or an address. */
type Count = (key: string, now: number, requests: number) => RateState;

export interface RateLimiter {
  countOf(caller: Caller, now: number, requests: number): RateState;
  /** Counts a request to an endpoint that is for gates. */
  countGate(caller: Caller, now: number, requests: number): RateState;
  /** Counts a request with an invalid credential. */
  countFailure(ip: string, now: number): RateState;
  /** Counts a form that somebody submits who is not signed in. */
  countForm(ip: string, now: number): RateState;
  /** Counts a request of a program without a credential: it exchanges a token, or asks for one. */
  countProgram(ip: string, now: number): RateState;
  /** Takes such a request back: it proved who sent it. */
  uncountProgram(ip: string, now: number): void;
}

/** Each of these bytes that are full in a body counts as a further request. */
const BYTES_OF_REQUEST = 65_536;

/** How many requests one with a body of this size counts as. */
export function requestsFor(bytes: number): number {
  return 1 + Math.floor(bytes / BYTES_OF_REQUEST);
}

/** A limiter of `limit` requests a minute; null when the limit is 0, which means off. */
export function createRateLimiter(limit: number): RateLimiter | null {
  if (limit === 0) return null;
  // A map for each: guesses from many addresses do not evict the counter of a principal, and a program with a wrong token keeps no
  // person behind the same address from signing in. What else a team does keeps no gate from its bundles.
  const countPrincipal = createCount("principal", limit);
  const countGate = createCount("gate", limit);
  const countAddress = createCount("address", limit);
  const countVisitor = createCount("visitor", limit);
  const countProgram = createCount("program", limit);
  return {
    countOf: (caller, now, requests) => countPrincipal(accountableOf(caller), now, requests),
    countGate: (caller, now, requests) => countGate(accountableOf(caller), now, requests),
    countFailure: (ip, now) => countAddress(subscriberOf(ip), now, 1),
    countForm: (ip, now) => countVisitor(subscriberOf(ip), now, 1),
    countProgram: (ip, now) => countProgram(subscriberOf(ip), now, 1),
    uncountProgram: (ip, now) => void countProgram(subscriberOf(ip), now, -1),
  };
}

function createCount(policy: RatePolicy, limit: number): Count {
  const counters = new Map<string, Counter>();

  /** Windows in the future are over as well: the clock was set back, and they would otherwise last until it catches up. */
  const isOpen = ({ resetAt }: Counter, now: number) => resetAt > now && resetAt <= now + MINUTE_MS;

  function counterOf(key: string, now: number): Counter {
    const known = counters.get(key);
    if (known && isOpen(known, now)) return known;
    // Re-inserting keeps the map ordered by the start of the windows, so the first entries are the oldest.
    counters.delete(key);
    for (const [oldest, counter] of counters) {
      if (isOpen(counter, now) && counters.size < MAX_COUNTERS) break;
      counters.delete(oldest);
    }
    const counter = { count: 0, resetAt: now + MINUTE_MS };
    counters.set(key, counter);
    return counter;
  }

  return (key, now, requests) => {
    const counter = counterOf(key, now);
    // The last request may count as more than are left: a large body would otherwise never fit a low limit.
    const isAllowed = counter.count < limit;
    counter.count = Math.max(0, counter.count + requests);
    return {
      policy,
      isAllowed,
      limit,
      remaining: Math.max(0, limit - counter.count),
      resetAt: counter.resetAt,
    };
  };
}

/** The headers about the limit that a request counted towards. */
export function rateHeaders({ policy, limit, remaining, resetAt }: RateState, now: number): HeaderList {
  const secondsLeft = Math.max(0, Math.ceil((resetAt - now) / 1000));
  return [
    // The headers that existing clients read, and those of the IETF draft (draft-ietf-httpapi-ratelimit-headers).
    "x-ratelimit-limit",
    String(limit),
    "x-ratelimit-remaining",
    String(remaining),
    "x-ratelimit-reset",
    String(Math.ceil(resetAt / 1000)),
    "ratelimit-policy",
    `"${policy}";q=${limit};w=60`,
    "ratelimit",
    `"${policy}";r=${remaining};t=${secondsLeft}`,
  ];
}
