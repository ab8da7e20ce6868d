// Limits sending: the concurrency of this process, shared fairly by its webhooks, and the rate of each webhook.
import { SECOND_MS } from "../kernel/scheduling/clock.ts";

/** A webhook that sends. */
export interface LimiterClient {
  /** Number of slots that it holds. */
  readonly slots: number;
  /** Called when there may be a slot for it. */
  pump(): void;
}

const MAX_SLOTS = 1_024;
/** Second and further slots are given only while fewer than these are taken. */
const SHARED_SLOTS = 512;
/** Slots for deliveries with a long payload, which take the memory. */
const MAX_LONG = 64;

/**
 * The slots for the deliveries in flight of this process. Every webhook gets a first slot before any gets a second one, so a
 * few busy webhooks cannot take all slots.
 */
export class ConcurrencyLimiter {
  #taken = 0;
  #long = 0;
  readonly #waitingFirst = new Set<LimiterClient>();
  readonly #waitingMore = new Set<LimiterClient>();
  readonly #waitingLong = new Set<LimiterClient>();

  /** Gives the client a slot. If none is free, the client's `pump` is called when one is. */
  acquire(client: LimiterClient, isLong: boolean): boolean {
    const isFirst = client.slots === 0;
    if (this.#taken >= (isFirst ? MAX_SLOTS : SHARED_SLOTS)) {
      (isFirst ? this.#waitingFirst : this.#waitingMore).add(client);
      return false;
    }
    if (isLong && this.#long >= MAX_LONG) {
      this.#waitingLong.add(client);
      return false;
    }
    this.#taken++;
    if (isLong) this.#long++;
    return true;
  }

  /** Frees a slot, and calls the clients that wait for one, the longest waiting first. */
  release(isLong: boolean): void {
    this.#taken--;
    if (isLong) this.#long--;
    this.#serve(this.#waitingLong, () => this.#long < MAX_LONG);
    this.#serve(this.#waitingFirst, () => this.#taken < MAX_SLOTS);
    this.#serve(this.#waitingMore, () => this.#taken < SHARED_SLOTS);
  }

  #serve(waiting: Set<LimiterClient>, isFree: () => boolean): void {
    for (const client of waiting) {
      if (!isFree()) return;
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
