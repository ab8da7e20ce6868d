// How often a webhook may be sent to.
import { SECOND_MS } from "../kernel/scheduling/clock.ts";

/** So much of a second's deliveries may come at once, when nothing came before. */
const BURST = 0.1;

/** Time is that of the process, which nobody sets. */
export class Rate {
  readonly #perSecond: number;
  #saved = 1;
  #savedAt = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Milliseconds until the next delivery may begin; 0: now. */
  waitMs(): number {
    const now = performance.now();
    const most = Math.max(1, this.#perSecond * BURST);
    this.#saved = Math.min(most, this.#saved + ((now - this.#savedAt) * this.#perSecond) / SECOND_MS);
    this.#savedAt = now;
    return this.#saved >= 1 ? 0 : Math.ceil(((1 - this.#saved) * SECOND_MS) / this.#perSecond);
  }

  /** One begins. */
  take(): void {
    this.#saved--;
  }
}
