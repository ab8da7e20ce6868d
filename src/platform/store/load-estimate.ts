// Estimates the load of the store: from the amount of waiting work and its speed follows how long new work would wait.
import { createQueueDelayPolicy } from "../kernel/scheduling/queue-delay.ts";

/** Below this number work is always accepted: about as much as one commit of the embedded store includes. */
const FEW = 256;
/** Above this number no work is accepted, however fast the store is, because waiting work takes memory. */
const MANY = 16_384;
/** The shortest time over which speed is measured. */
const WINDOW_MS = 100;
/** A measurement is dropped when load begins to build up this long after it. */
const FORGET_MS = 1_000;
/** A store that has finished nothing for this long has stalled: then even little work is refused. */
const STALLED_MS = 5_000;

export interface LoadEstimate {
  /** Whether new work that has already waited for `waitedMs` elsewhere would be done soon enough. */
  hasCapacity(waitedMs: number): boolean;
  /** Units of work that are not done yet. */
  readonly size: number;
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** `concurrency` is the number of units of work that are done at a time. */
export function createLoadEstimate(concurrency: number, clock: () => number = () => performance.now()): LoadEstimate {
  const policy = createQueueDelayPolicy();
  let size = 0;
  let msPerItem = 0;
  let measuredAt = 0;
  let windowStart = 0;
  let done = 0;

  /** Many items end at a time, so `hasCapacity` ends a window of measurement, and the end of an item does not. */
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
      if (size < concurrency) return true;
      const now = clock();
      measure(now);
      const stalledMs = done === 0 ? now - windowStart : 0;
      if (size < FEW) return stalledMs < STALLED_MS;
      return size < MANY && policy.admits(waitedMs + Math.max(size * msPerItem, stalledMs), now);
    },
    get size() {
      return size;
    },
    async run(work) {
      // Measure only at full concurrency: below it, the rate of finished work does not show the possible speed.
      if (++size === concurrency) {
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
