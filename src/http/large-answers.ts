// Large answers lie in memory until their clients have taken them. Clients that take too long are cut off: each after a
// while, and those that have taken longest when together they take too much memory.
import type { ServerResponse } from "node:http";

/** Smaller answers fit into the socket's own buffers. */
const LARGE_BYTES = 65_536;
const MAX_BYTES_IN_ALL = 67_108_864;
/** Nobody is cut off for others before this. */
const GRACE_MS = 2_000;
const TIME_LIMIT_MS = 60_000;

interface Waiting {
  readonly answer: ServerResponse;
  readonly bytes: number;
  readonly since: number;
}

export interface LargeAnswers {
  /** An answer is about to be sent. */
  add(answer: ServerResponse, bytes: number): void;
}

export function createLargeAnswers(note: (overload: "answers") => void): LargeAnswers {
  // The oldest first.
  const waiting = new Set<Waiting>();
  let bytesInAll = 0;

  function cutOff({ answer }: Waiting): void {
    note("answers");
    // Its bytes come off the sum when it is closed, which this does.
    answer.destroy();
  }

  function cutOffOldest(now: number): void {
    let excess = bytesInAll - MAX_BYTES_IN_ALL;
    for (const entry of waiting) {
      if (excess <= 0 || now - entry.since < GRACE_MS) return;
      excess -= entry.bytes;
      cutOff(entry);
    }
  }

  return {
    add(answer, bytes) {
      if (bytes < LARGE_BYTES) return;
      const now = performance.now();
      const entry = { answer, bytes, since: now };
      waiting.add(entry);
      bytesInAll += bytes;
      const limit = setTimeout(cutOff, TIME_LIMIT_MS, entry).unref();
      answer.once("close", () => {
        clearTimeout(limit);
        if (waiting.delete(entry)) bytesInAll -= bytes;
      });
      cutOffOldest(now);
    },
  };
}
