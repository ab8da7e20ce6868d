// Large answers lie in memory until their clients have taken them. Clients that take too long are cut off: each after a
// while, and those that have taken longest when together they take too much memory.
import type { ServerResponse } from "node:http";
import { onceOver } from "./answer-end.ts";

const LIMITS = {
  /** Smaller answers fit into the socket's own buffers. */
  largeBytes: 65_536,
  bytesInAll: 67_108_864,
  /** Nobody is cut off for others before this. */
  graceMs: 2_000,
  timeMs: 60_000,
};

interface Waiting {
  readonly answer: ServerResponse;
  readonly bytes: number;
  readonly since: number;
}

export interface LargeAnswers {
  /** An answer is about to be sent. */
  add(answer: ServerResponse, bytes: number): void;
}

export function createLargeAnswers(note: (overload: "answers") => void, limits = LIMITS): LargeAnswers {
  // The oldest first.
  const waiting = new Set<Waiting>();
  let bytesInAll = 0;

  function forget(entry: Waiting): void {
    if (waiting.delete(entry)) bytesInAll -= entry.bytes;
  }

  function cutOff(entry: Waiting): void {
    note("answers");
    forget(entry);
    // An answer may wait for those before it on its connection: without them it would not go.
    entry.answer.req.socket.destroy();
  }

  function cutOffOldest(now: number): void {
    for (const entry of waiting) {
      if (bytesInAll <= limits.bytesInAll || now - entry.since < limits.graceMs) return;
      cutOff(entry);
    }
  }

  return {
    add(answer, bytes) {
      if (bytes < limits.largeBytes) return;
      const now = performance.now();
      const entry = { answer, bytes, since: now };
      waiting.add(entry);
      bytesInAll += bytes;
      const limit = setTimeout(cutOff, limits.timeMs, entry).unref();
      onceOver(answer, () => {
        clearTimeout(limit);
        forget(entry);
      });
      cutOffOldest(now);
    },
  };
}
