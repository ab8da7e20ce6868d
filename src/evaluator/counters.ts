// The state of rate limits and holds: one counter per rule and client, until it expires.
import { countRequest } from "./counting.ts";
import type { Count, HoldAction, Limit, RateCounter } from "./counting.ts";

/** A decision that is repeated for a client until it expires. */
export interface Hold {
  readonly action: HoldAction;
  /** ms since the epoch. */
  readonly endsAt: number;
}

/** What rules ask and tell. `rule` is the hold key of a rule. */
export interface Counters {
  /** The hold of a client, unless it has expired. */
  findHold(rule: string, client: string, now: number): Hold | undefined;
  hold(rule: string, client: string, hold: Hold, now: number): void;
  /** Counts a request of the client. */
  count(limit: Limit, client: string, now: number): Count;
  /** The hold keys of rules with holds, some of which may have expired. */
  holdingRules(): Iterable<string>;
}

/** Counters of this process. */
export interface LocalCounters extends Counters {
  /** What `count` would return. */
  peek(limit: Limit, client: string, now: number): Count;
  /** Whether the rule has holds, some of which may have expired. */
  isHolding(rule: string): boolean;
}

type Counter = RateCounter | (Hold & { readonly kind: "hold"; readonly rule: string });

/** About 20 MB of counters. */
export const MAX_COUNTERS = 100_000;
// Evict many at once, so that scanning for expired counters is rare.
const EVICTED_SHARE = 16;

/** At most `most` counters in memory. Expired counters are evicted first, then the least recently changed. */
export function createCounters(most = MAX_COUNTERS): LocalCounters {
  // In order of last change.
  const counters = new Map<string, Counter>();
  const holds = new Map<string, number>();

  function noteHold(counter: Counter, change: 1 | -1): void {
    if (counter.kind !== "hold") return;
    const count = (holds.get(counter.rule) ?? 0) + change;
    if (count > 0) holds.set(counter.rule, count);
    else holds.delete(counter.rule);
  }

  function remove(key: string): void {
    const counter = counters.get(key);
    if (counter && counters.delete(key)) noteHold(counter, -1);
  }

  function evict(now: number): void {
    for (const [key, { endsAt }] of counters) if (endsAt <= now) remove(key);
    const left = most - Math.ceil(most / EVICTED_SHARE);
    for (const key of counters.keys()) {
      if (counters.size <= left) return;
      remove(key);
    }
  }

  function get(key: string, now: number): Counter | undefined {
    const counter = counters.get(key);
    if (!counter || counter.endsAt > now) return counter;
    remove(key);
    return undefined;
  }

  function set(key: string, counter: Counter, now: number): void {
    remove(key);
    if (counters.size >= most) evict(now);
    counters.set(key, counter);
    noteHold(counter, 1);
  }

  function rateCounter(key: string, now: number): RateCounter | undefined {
    const known = get(key, now);
    return known?.kind === "hold" ? undefined : known;
  }

  return {
    findHold(rule, client, now) {
      const known = get(rule + client, now);
      return known?.kind === "hold" ? known : undefined;
    },
    hold(rule, client, { action, endsAt }, now) {
      set(rule + client, { kind: "hold", action, rule, endsAt }, now);
    },
    count(limit, client, now) {
      const key = limit.key + client;
      const { counter, count } = countRequest(limit, rateCounter(key, now), now);
      set(key, counter, now);
      return count;
    },
    peek: (limit, client, now) => countRequest(limit, rateCounter(limit.key + client, now), now).count,
    isHolding: (rule) => holds.has(rule),
    holdingRules: () => holds.keys(),
  };
}

/** Counters that ignore writes: `explain` shows with them what would follow a decision. */
export function readOnly(counters: LocalCounters): LocalCounters {
  return { ...counters, hold() {}, count: (limit, client, now) => counters.peek(limit, client, now) };
}
