// How busy this process is, for the difficulty of challenges: by the share of the time that its event loop works.
import { performance } from "node:perf_hooks";
import type { EventLoopUtilization } from "node:perf_hooks";
import { SECOND_MS } from "../platform/kernel/scheduling/clock.ts";

/** Up to this share there is room for everybody. */
const IDLE = 0.5;

/** 0 to 1. It is measured when it is asked for, at most once a second: a page costs microseconds. */
export function createLoad(
  measure: (before?: EventLoopUtilization) => EventLoopUtilization = performance.eventLoopUtilization,
  elapsed: () => number = () => performance.now(),
): () => number {
  let measuredAt = elapsed();
  let before = measure();
  let load = 0;
  return () => {
    const now = elapsed();
    if (now - measuredAt >= SECOND_MS) {
      const { utilization } = measure(before);
      load = Math.max(0, (utilization - IDLE) / (1 - IDLE));
      [measuredAt, before] = [now, measure()];
    }
    return load;
  };
}
