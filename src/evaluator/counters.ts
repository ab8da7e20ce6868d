// The state of rate limits and holds: one counter per rule and client, until it expires.

interface Expiring {
  /** ms since the epoch; from then on the counter is treated as absent. */
  readonly endsAt: number;
}

/** Requests in the window that began at `startsAt`. */
export interface WindowCounter extends Expiring {
  readonly kind: "window";
  readonly startsAt: number;
  readonly count: number;
}

/** A token bucket as of `at`. `level` counts fractions of tokens, as rate-limit.ts defines them. */
export interface BucketCounter extends Expiring {
  readonly kind: "bucket";
  readonly at: number;
  readonly level: number;
}

export type HoldAction = "deny" | "challenge" | "rate_limit";

/** A decision that is repeated for a client until it expires. */
export interface HoldCounter extends Expiring {
  readonly kind: "hold";
  readonly action: HoldAction;
  /** The hold key of the rule. */
  readonly rule: string;
}

export type Counter = WindowCounter | BucketCounter | HoldCounter;

export interface Counters {
  /** The counter of a key, unless it has expired. */
  get(key: string, now: number): Counter | undefined;
  set(key: string, counter: Counter, now: number): void;
  /** The hold keys of rules with holds, some of which may have expired. */
  holdingRules(): Iterable<string>;
}

/** About 20 MB of counters. */
export const MAX_COUNTERS = 100_000;
// Evict many at once, so that scanning for expired counters is rare.
const EVICTED_SHARE = 16;

/** At most `most` counters in memory. Expired counters are evicted first, then the least recently changed. */
export function createCounters(most = MAX_COUNTERS): Counters {
  // In order of last change.
  const counters = new Map<string, Counter>();
  const holds = new Map<string, number>();

  function countHolds(counter: Counter, change: 1 | -1): void {
    if (counter.kind !== "hold") return;
    const count = (holds.get(counter.rule) ?? 0) + change;
    if (count > 0) holds.set(counter.rule, count);
    else holds.delete(counter.rule);
  }

  function remove(key: string): void {
    const counter = counters.get(key);
    if (counter && counters.delete(key)) countHolds(counter, -1);
  }

  function evict(now: number): void {
    for (const [key, { endsAt }] of counters) if (endsAt <= now) remove(key);
    const left = most - Math.ceil(most / EVICTED_SHARE);
    for (const key of counters.keys()) {
      if (counters.size <= left) return;
      remove(key);
    }
  }

  return {
    get(key, now) {
      const counter = counters.get(key);
      if (!counter || counter.endsAt > now) return counter;
      remove(key);
      return undefined;
    },
    set(key, counter, now) {
      remove(key);
      if (counters.size >= most) evict(now);
      counters.set(key, counter);
      countHolds(counter, 1);
    },
    holdingRules: () => holds.keys(),
  };
}

/** Counters that ignore writes: `explain` shows with them what would follow a decision. */
export function readOnly(counters: Counters): Counters {
  return { get: (key, now) => counters.get(key, now), set() {}, holdingRules: () => counters.holdingRules() };
}
