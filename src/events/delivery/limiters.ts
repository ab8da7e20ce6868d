// Limits sending: the concurrency of this process, shared fairly by its webhooks, the rate of each webhook, and what is read ahead.
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";

/** A webhook that sends. */
export interface LimiterClient {
  /** Number of slots that it holds. */
  readonly slots: number;
  /** Whether its receiver fails, or responded slowly the last time. */
  readonly isTroubled: boolean;
  /** Whether its receiver has responded quickly since it was leased. */
  readonly isProven: boolean;
  /** One of its slots has been taken for long. */
  recordSlow(): void;
  /** Called when there may be a slot for it. */
  pump(): void;
}

/** One delivery in flight. */
export interface Slot {
  readonly client: LimiterClient;
  readonly isLong: boolean;
  /** Milliseconds of `performance.now()`. */
  readonly takenAt: number;
  /** The attempt has ended: from then on it waits for the store, and its receiver is not slow. */
  hasEnded: boolean;
}

const MAX_SLOTS = 1_024;
/**
 * Second and further slots of healthy receivers are given only while these have fewer than that; for the others see below. No webhook has
 * more, also if it was healthy and is slow.
 */
export const SHARED_SLOTS = 512;
/** For receivers that fail or are slow. */
const TROUBLED_SLOTS = 512;
const SHARED_TROUBLED_SLOTS = 256;
/** Slots for deliveries with a long payload, which take the memory. */
const MAX_LONG = 64;
/** A slot that was taken for longer counts as one of a slow receiver. */
const SLOW_MS = SECOND_MS;

/** Whether a response that took so long makes its receiver a slow one. */
export function isSlow(durationMs: number): boolean {
  return durationMs >= SLOW_MS;
}

/**
 * The slots for the deliveries in flight of this process. Every webhook gets a first slot before any gets a second one, so a
 * few busy webhooks cannot take all slots. Receivers that fail or are slow have a part of the slots, so that they do not take
 * those that healthy ones would free at once. A receiver is known to hang after a second: until it has responded once, it gets a second slot
 * only while half of all are free, so that those which hang, and come one second after the other, do not take all of them.
 */
export class ConcurrencyLimiter {
  /** The longest taken first. */
  readonly #healthy = new Set<Slot>();
  readonly #troubled = new Set<Slot>();
  #long = 0;
  readonly #waitingFirst = new Set<LimiterClient>();
  readonly #waitingMore = new Set<LimiterClient>();
  readonly #waitingUnproven = new Set<LimiterClient>();
  readonly #troubledFirst = new Set<LimiterClient>();
  readonly #troubledMore = new Set<LimiterClient>();
  readonly #waitingLong = new Set<LimiterClient>();

  get #taken(): number {
    return this.#healthy.size + this.#troubled.size;
  }

  /** Gives the client a slot. If none is free, returns null, and the client's `pump` is called when one is. */
  acquire(client: LimiterClient, isLong: boolean, now = performance.now()): Slot | null {
    this.#separateSlow(now);
    const waiting = this.#refuse(client, isLong);
    if (waiting) {
      waiting.add(client);
      return null;
    }
    const slot: Slot = { client, isLong, takenAt: now, hasEnded: false };
    (client.isTroubled ? this.#troubled : this.#healthy).add(slot);
    if (isLong) this.#long++;
    return slot;
  }

  /** Where the client has to wait; null: it has not. */
  #refuse({ slots, isTroubled, isProven }: LimiterClient, isLong: boolean): Set<LimiterClient> | null {
    const isFirst = slots === 0;
    if (!isFirst && !isTroubled && !isProven && this.#taken >= SHARED_SLOTS) return this.#waitingUnproven;
    const [taken, most] = isTroubled
      ? [this.#troubled.size, isFirst ? TROUBLED_SLOTS : SHARED_TROUBLED_SLOTS]
      : [this.#healthy.size, isFirst ? MAX_SLOTS : SHARED_SLOTS];
    if (taken >= most || this.#taken >= MAX_SLOTS) {
      if (isTroubled) return isFirst ? this.#troubledFirst : this.#troubledMore;
      return isFirst ? this.#waitingFirst : this.#waitingMore;
    }
    return isLong && this.#long >= MAX_LONG ? this.#waitingLong : null;
  }

  /** Frees a slot, and calls the clients that wait for one, the longest waiting first. */
  release(slot: Slot): void {
    this.#healthy.delete(slot);
    this.#troubled.delete(slot);
    if (slot.isLong) this.#long--;
    this.#serve(this.#waitingLong, () => this.#long < MAX_LONG);
    this.#serve(this.#waitingFirst, () => this.#taken < MAX_SLOTS);
    this.#serveShared();
    this.#serve(this.#troubledFirst, () => this.#troubled.size < TROUBLED_SLOTS && this.#taken < MAX_SLOTS);
    this.#serve(this.#troubledMore, () => this.#troubled.size < SHARED_TROUBLED_SLOTS && this.#taken < MAX_SLOTS);
  }

  /** Calls the clients for which there is room because other receivers have turned out to be slow. To be called periodically. */
  lookForSlow(now = performance.now()): void {
    this.#separateSlow(now);
    this.#serveShared();
  }

  #separateSlow(now: number): void {
    for (const slot of this.#healthy) {
      if (!isSlow(now - slot.takenAt)) return;
      if (slot.hasEnded) continue;
      this.#healthy.delete(slot);
      this.#troubled.add(slot);
      slot.client.recordSlow();
    }
  }

  #serveShared(): void {
    this.#serve(this.#waitingMore, () => this.#healthy.size < SHARED_SLOTS && this.#taken < MAX_SLOTS);
    this.#serve(this.#waitingUnproven, () => this.#taken < SHARED_SLOTS);
  }

  /** Calls those that wait now; one that is still refused waits again. */
  #serve(waiting: Set<LimiterClient>, isFree: () => boolean): void {
    let left = waiting.size;
    for (const client of waiting) {
      if (left-- === 0 || !isFree()) return;
      waiting.delete(client);
      client.pump();
    }
  }
}

/** The share of a second's deliveries that may be sent at once after a silence. */
const BURST = 0.1;

/** A token bucket. It uses the monotonic time of the process, which no setting of the clock changes. */
export class RateLimiter {
  readonly #perSecond: number;
  #tokens = 1;
  #updatedAt = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Milliseconds until the next delivery may begin; 0: now. */
  waitMs(): number {
    const now = performance.now();
    const most = Math.max(1, this.#perSecond * BURST);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#updatedAt) * this.#perSecond) / SECOND_MS);
    this.#updatedAt = now;
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) * SECOND_MS) / this.#perSecond);
  }

  /** A delivery begins. */
  take(): void {
    this.#tokens--;
  }
}

/** Deliveries that are read ahead for each one in flight, at least. */
const AHEAD = 2;
const MAX_AHEAD = 256;
/** The workers of a process share so many: few large reads cost less than many small ones. */
const AHEAD_OF_ALL = 8_192;

/** How many deliveries a worker reads ahead. */
export function countAhead(concurrency: number, workers: number): number {
  return Math.floor(Math.min(MAX_AHEAD, Math.max(concurrency * AHEAD, AHEAD_OF_ALL / workers)));
}
