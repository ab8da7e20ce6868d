// The memory of rate limits and holds: what is kept for each client of a rule, until it means nothing any more.

interface Expiring {
  /** From this time on (ms since the epoch), the same as none. */
  readonly endsAt: number;
}

/** Requests in the window that began at `startsAt`. */
export interface WindowCounter extends Expiring {
  readonly kind: "window";
  readonly startsAt: number;
  readonly count: number;
}

/** A bucket as it was at `at`; `level` counts parts of tokens, as rate-limit.ts divides them. */
export interface BucketCounter extends Expiring {
  readonly kind: "bucket";
  readonly at: number;
  readonly level: number;
}

export type HoldAction = "deny" | "challenge" | "rate_limit";

export interface HoldCounter extends Expiring {
  readonly kind: "hold";
  readonly action: HoldAction;
  /** Key of the rule that holds. */
  readonly rule: string;
}

export type Counter = WindowCounter | BucketCounter | HoldCounter;

export interface Counters {
  /** What is kept under a key and has not ended. */
  get(key: string, now: number): Counter | undefined;
  set(key: string, counter: Counter, now: number): void;
  /** Keys of the rules that hold somebody; some of the holds may have ended. */
  holdingRules(): Iterable<string>;
}

/** About 20 MB of counters. */
export const MAX_COUNTERS = 100_000;
// How many at once make room, so that looking for those that have ended is rare.
const EVICTED_SHARE = 16;

/** Counters in memory, `most` at a time: where more are needed, those that ended go first, then the longest unchanged. */
export function createCounters(most = MAX_COUNTERS): Counters {
  // In the order of their last change.
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

/** Reads counters and changes nothing: for what would follow if a request had gone on. */
export function readOnly(counters: Counters): Counters {
  return { get: (key, now) => counters.get(key, now), set() {}, holdingRules: () => counters.holdingRules() };
}
