// Work that is on its way to the store: how much there is, how fast it is done, and from both how long what comes now
// would wait.
import { createQueueDelayPolicy } from "../kernel/scheduling/queue-delay.ts";

/** So few are always taken: about as many as one commit of the embedded store. */
const FEW = 256;
/** So many are never exceeded, however fast they are done: each takes memory. */
const MANY = 16_384;
/** Speed is measured over this long at least. */
const WINDOW_MS = 100;
/** What was measured longer ago when there begins to be much to do says nothing of now. */
const FORGET_MS = 1_000;
/** A store that has finished nothing for so long stands still: then even a few are too many. */
const STILL_MS = 5_000;

export interface LoadEstimate {
  /** Whether work that comes now, and has waited for so long elsewhere, would be done in good time. */
  hasCapacity(waitedMs: number): boolean;
  /** How much there is. */
  readonly size: number;
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** `lanes` is how many are done at a time. */
export function createLoadEstimate(lanes: number, clock: () => number = () => performance.now()): LoadEstimate {
  const patience = createQueueDelayPolicy();
  let size = 0;
  let msPerItem = 0;
  let measuredAt = 0;
  let windowStart = 0;
  let done = 0;

  /** Items end many at a time, so a window is closed by whoever asks, never by one that ends. */
  function measure(now: number): void {
    const elapsed = now - windowStart;
    if (done === 0 || elapsed < WINDOW_MS) return;
    const sample = elapsed / done;
    msPerItem = msPerItem === 0 ? sample : (msPerItem + sample) / 2;
    measuredAt = now;
    windowStart = now;
    done = 0;
  }

  return {
    hasCapacity(waitedMs) {
      if (size < lanes) return true;
      const now = clock();
      measure(now);
      const stillMs = done === 0 ? now - windowStart : 0;
      if (size < FEW) return stillMs < STILL_MS;
      return size < MANY && patience.admits(waitedMs + Math.max(size * msPerItem, stillMs), now);
    },
    get size() {
      return size;
    },
    async run(work) {
      // While there is less to do than can be, how much is done says nothing of how fast it could be.
      if (++size === lanes) {
        windowStart = clock();
        done = 0;
        if (windowStart - measuredAt > FORGET_MS) msPerItem = 0;
      }
      try {
        return await work();
      } finally {
        size--;
        done++;
      }
    },
  };
}
