// The state of rate limits and holds: one counter per rule and client, until it expires. Both are bounded, each by itself: what a client
// can create without end costs the rule that counts it, and nobody is let go before the end.
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
  /** As `hold`, for a hold that a store with the same bounds has taken already. */
  adopt(rule: string, client: string, hold: Hold, now: number): void;
}

/** About 20 MB of counters. */
export const MAX_COUNTERS = 100_000;
/** About 12 MB of holds. */
export const MAX_HOLDS = 100_000;
/** Between two looks at all holds, ms. */
const SCAN_MS = 1_000;
// Evict many at once, so that scanning for expired counters is rare.
const EVICTED_SHARE = 16;

/** Told what did not fit. `rule` is the key of a limit, or the hold key of a rule. */
export interface CounterObserver {
  evicted(rule: string, counters: number): void;
  notHeld(rule: string): void;
}

const NOBODY: CounterObserver = { evicted() {}, notHeld() {} };

/** By rule and client, in the order of the last change. No rule is without clients. */
type ByRule<T> = Map<string, Map<string, T>>;

function addTo<T>(all: ByRule<T>, rule: string, client: string, value: T): void {
  const clients = all.get(rule);
  if (clients) clients.set(client, value);
  else all.set(rule, new Map([[client, value]]));
}

/** How many each may keep, so that all together keep at most `most`: who has less loses nothing. */
function fairShare(sizes: readonly number[], most: number): number {
  let left = most;
  for (const [at, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - at));
    if (size > share) return share;
    left -= size;
  }
  return most;
}

/**
 * At most `most` counters, of which expired ones are evicted first, then the least recently changed of the rules that have more than
 * their share.
 */
function createRateCounters(most: number, observer: CounterObserver) {
  const counters: ByRule<RateCounter> = new Map();
  let size = 0;

  function removeWhile(rule: string, isRemoved: (counter: RateCounter) => boolean | null): number {
    const clients = counters.get(rule) as Map<string, RateCounter>;
    const before = clients.size;
    for (const [client, counter] of clients) {
      const verdict = isRemoved(counter);
      if (verdict === null) break;
      if (verdict) clients.delete(client);
    }
    if (clients.size === 0) counters.delete(rule);
    size -= before - clients.size;
    return before - clients.size;
  }

  function evict(now: number): void {
    for (const rule of counters.keys()) removeWhile(rule, ({ endsAt }) => endsAt <= now);
    const sizes = [...counters.values()].map((clients) => clients.size);
    const share = fairShare(sizes, most - Math.ceil(most / EVICTED_SHARE));
    for (const [rule, clients] of counters) {
      const evicted = removeWhile(rule, () => clients.size > share || null);
      if (evicted > 0) observer.evicted(rule, evicted);
    }
  }

  return {
    find(rule: string, client: string, now: number): RateCounter | undefined {
      const known = counters.get(rule)?.get(client);
      return known && known.endsAt > now ? known : undefined;
    },
    set(rule: string, client: string, counter: RateCounter, now: number): void {
      if (counters.get(rule)?.delete(client)) size--;
      if (size >= most) evict(now);
      addTo(counters, rule, client, counter);
      size++;
    },
  };
}

/**
 * At most `most` holds. None is evicted before its end: a rule takes further ones as long as it has fewer than there are places left, so
 * that clients who are held by one rule again and again leave places for the others.
 */
function createHolds(most: number, observer: CounterObserver) {
  const holds: ByRule<Hold> = new Map();
  let size = 0;
  let scannedAt = -Infinity;

  function remove(rule: string, client: string): void {
    const clients = holds.get(rule);
    if (!clients?.delete(client)) return;
    size--;
    if (clients.size === 0) holds.delete(rule);
  }

  /** Holds of a rule have one length, so the first ones end first. Those from before its duration was changed are looked for now and then. */
  function removeExpired(now: number): void {
    const looksAtAll = Math.abs(now - scannedAt) >= SCAN_MS;
    if (looksAtAll) scannedAt = now;
    for (const [rule, clients] of holds) {
      for (const [client, { endsAt }] of clients) {
        if (endsAt <= now) remove(rule, client);
        else if (!looksAtAll) break;
      }
    }
  }

  function add(rule: string, client: string, hold: Hold, now: number, placesOf: () => number): void {
    if (!holds.get(rule)?.has(client)) {
      if (placesOf() <= 0) removeExpired(now);
      if (placesOf() <= 0) return observer.notHeld(rule);
    }
    remove(rule, client);
    addTo(holds, rule, client, hold);
    size++;
  }

  return {
    isHolding: (rule: string) => holds.has(rule),
    holdingRules: () => holds.keys(),
    findHold(rule: string, client: string, now: number): Hold | undefined {
      const known = holds.get(rule)?.get(client);
      if (!known || known.endsAt > now) return known;
      remove(rule, client);
      return undefined;
    },
    hold(rule: string, client: string, hold: Hold, now: number): void {
      add(rule, client, hold, now, () => most - size - (holds.get(rule)?.size ?? 0));
    },
    adopt(rule: string, client: string, hold: Hold, now: number): void {
      add(rule, client, hold, now, () => most - size);
    },
  };
}

export interface CounterBounds {
  readonly counters?: number;
  readonly holds?: number;
}

export function createCounters(
  { counters: mostCounters = MAX_COUNTERS, holds: mostHolds = MAX_HOLDS }: CounterBounds = {},
  observer: CounterObserver = NOBODY,
): LocalCounters {
  const counters = createRateCounters(mostCounters, observer);
  return {
    ...createHolds(mostHolds, observer),
    count(limit, client, now) {
      const { counter, count } = countRequest(limit, counters.find(limit.key, client, now), now);
      counters.set(limit.key, client, counter, now);
      return count;
    },
    peek: (limit, client, now) => countRequest(limit, counters.find(limit.key, client, now), now).count,
  };
}

/** Counters that ignore writes: `explain` shows with them what would follow a decision. */
export function readOnly(counters: LocalCounters): LocalCounters {
  return { ...counters, hold() {}, adopt() {}, count: (limit, client, now) => counters.peek(limit, client, now) };
}
