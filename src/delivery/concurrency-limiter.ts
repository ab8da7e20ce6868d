// The places for deliveries that one process has under way, and who is next when one becomes free. A webhook's first place
// comes before anybody's second, so that however many a few webhooks could use, each of the others gets one.

/** A webhook that sends. */
export interface LimiterClient {
  /** Places that it has. */
  readonly places: number;
  /** Called when there may be a place for it. */
  pump(): void;
}

const MAX_PLACES = 1_024;
/** Second places and further ones are given only while fewer than these are taken. */
const SHARED_PLACES = 512;
/** Of deliveries with a long payload, which are what takes memory. */
const MAX_LONG = 64;

export class ConcurrencyLimiter {
  #taken = 0;
  #long = 0;
  readonly #waitingFirst = new Set<LimiterClient>();
  readonly #waitingMore = new Set<LimiterClient>();
  readonly #waitingLong = new Set<LimiterClient>();

  /** Gives the guest a place; if there is none, it is called when there is. */
  enter(guest: LimiterClient, isLong: boolean): boolean {
    const isFirst = guest.places === 0;
    if (this.#taken >= (isFirst ? MAX_PLACES : SHARED_PLACES)) {
      (isFirst ? this.#waitingFirst : this.#waitingMore).add(guest);
      return false;
    }
    if (isLong && this.#long >= MAX_LONG) {
      this.#waitingLong.add(guest);
      return false;
    }
    this.#taken++;
    if (isLong) this.#long++;
    return true;
  }

  /** Takes a place back, and has whoever waits for one look again, the longest first. */
  leave(isLong: boolean): void {
    this.#taken--;
    if (isLong) this.#long--;
    this.#serve(this.#waitingLong, () => this.#long < MAX_LONG);
    this.#serve(this.#waitingFirst, () => this.#taken < MAX_PLACES);
    this.#serve(this.#waitingMore, () => this.#taken < SHARED_PLACES);
  }

  #serve(waiting: Set<LimiterClient>, isFree: () => boolean): void {
    for (const guest of waiting) {
      if (!isFree()) return;
      waiting.delete(guest);
      guest.pump();
    }
  }
}
