// How long something may wait before it is better refused. A burst is waited for: it ends by itself. A queue that does
// not become short again is kept short by refusing what comes, so that what is accepted is served in good time.

/** A wait that is no trouble to anybody. */
const SHORT_MS = 500;
/** How long after waits became long a burst must have been dealt with. */
const BURST_MS = 5_000;
/** Waits have been short for so long: what comes next is another burst. */
const REST_MS = 1_000;

export interface QueueDelayPolicy {
  /** Whether what would wait for so long is to wait at all; `now` only ever grows. */
  admits(waitMs: number, now: number): boolean;
}

export function createQueueDelayPolicy(): QueueDelayPolicy {
  let longSince = -Infinity;
  let lastLong = -Infinity;
  return {
    admits(waitMs, now) {
      if (waitMs <= SHORT_MS) return true;
      if (now - lastLong > REST_MS) longSince = now;
      lastLong = now;
      return now + waitMs <= longSince + BURST_MS;
    },
  };
}
