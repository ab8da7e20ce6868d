// Decides how long a request may wait in a queue before refusing it is better. During a burst requests wait, because a burst ends
// by itself. In a lasting overload only requests with a short wait are admitted, so that they are served in good time.

/** Waits up to this time are always admitted. */
const SHORT_MS = 500;
/** A burst must be over this long after waits became long. */
const BURST_MS = 5_000;
/** After waits have been short for this long, the next long wait begins another burst. */
const QUIET_MS = 1_000;

export interface QueueDelayPolicy {
  /** Whether a request that would wait this long is admitted; `now` never decreases. */
  admits(waitMs: number, now: number): boolean;
}

export function createQueueDelayPolicy(): QueueDelayPolicy {
  let longSince = -Infinity;
  let lastLong = -Infinity;
  return {
    admits(waitMs, now) {
      if (waitMs <= SHORT_MS) return true;
      if (now - lastLong > QUIET_MS) longSince = now;
      lastLong = now;
      return now + waitMs <= longSince + BURST_MS;
    },
  };
}
