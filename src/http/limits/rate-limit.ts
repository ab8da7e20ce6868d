// Requests a minute, counted by each process for itself in fixed windows: those of a principal over all its credentials, and
// those with credentials that nobody knows by address. The number of counters is bounded.
import { principalOf } from "../../kernel/caller.ts";
import type { Caller } from "../../kernel/caller.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";
import { formatNetwork, networkAddress, parseAddress } from "../../kernel/network/network.ts";
import type { HeaderList } from "../responses/header-list.ts";

const MAX_COUNTERS = 100_000;

interface Counter {
  count: number;
  resetAt: number;
}

/** Whose requests are counted: the policy that the headers name. */
type RatePolicy = "principal" | "address";

export interface RateState {
  readonly policy: RatePolicy;
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** When the window ends, ms. */
  readonly resetAt: number;
}

/** Counts one request of `subject`. */
type Count = (subject: string, now: number) => RateState;

export interface RateLimiter {
  countOf(caller: Caller, now: number): RateState;
  /** Counts a request whose credential nobody knows. */
  countFailure(ip: string, now: number): RateState;
}

/** Who owns an IPv6 address has the rest of its /64 as well. */
const IPV6_BITS = 64;

function neighbourhoodOf(ip: string): string {
  const address = parseAddress(ip);
  if (address?.kind !== "ipv6") return ip;
  return formatNetwork(networkAddress({ ...address, bits: IPV6_BITS }));
}

/** A limiter of `limit` requests a minute; null when the limit is 0, which means off. */
export function createRateLimiter(limit: number): RateLimiter | null {
  if (limit === 0) return null;
  // Apart, so that guesses from many addresses push no principal's counter out.
  const countPrincipal = createCount("principal", limit);
  const countAddress = createCount("address", limit);
  return {
    countOf: (caller, now) => countPrincipal(principalOf(caller), now),
    countFailure: (ip, now) => countAddress(neighbourhoodOf(ip), now),
  };
}

function createCount(policy: RatePolicy, limit: number): Count {
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

  return (subject, now) => {
    const counter = counterOf(subject, now);
    counter.count++;
    return {
      policy,
      isAllowed: counter.count <= limit,
      limit,
      remaining: Math.max(0, limit - counter.count),
      resetAt: counter.resetAt,
    };
  };
}

/** What an answer says of the limit that its request counted towards. */
export function rateHeaders({ policy, limit, remaining, resetAt }: RateState, now: number): HeaderList {
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
    `"${policy}";q=${limit};w=60`,
    "ratelimit",
    `"${policy}";r=${remaining};t=${secondsLeft}`,
  ];
}
