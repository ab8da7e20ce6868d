// Limits for slow clients. A large response stays in memory until its client has read it. A client that takes too long is disconnected, and
// when such responses together take too much memory, those who have taken longest are.
import type { ServerResponse } from "node:http";
import { onceClosed } from "../responses/response-end.ts";

const SLOW_CLIENT_LIMITS = {
  /** Smaller responses fit into the socket's own buffers. */
  largeBytes: 65_536,
  bytesInAll: 67_108_864,
  /** Nobody is disconnected in favour of others before this time. */
  graceMs: 2_000,
  timeMs: 60_000,
};

interface Waiting {
  readonly response: ServerResponse;
  readonly bytes: number;
  readonly since: number;
}

export interface SlowClientLimits {
  /** A response is about to be sent. */
  add(response: ServerResponse, bytes: number): void;
}

export function limitSlowClients(note: (overload: "responses") => void, limits = SLOW_CLIENT_LIMITS): SlowClientLimits {
  // The oldest comes first.
  const waiting = new Set<Waiting>();
  let bytesInAll = 0;

  function forget(entry: Waiting): void {
    if (waiting.delete(entry)) bytesInAll -= entry.bytes;
  }

  function disconnect(entry: Waiting): void {
    note("responses");
    forget(entry);
    // Not `response.socket`, which is null while other responses on the connection come first.
    entry.response.req.socket.destroy();
  }

  function disconnectSlowest(now: number): void {
    for (const entry of waiting) {
      if (bytesInAll <= limits.bytesInAll || now - entry.since < limits.graceMs) return;
      disconnect(entry);
    }
  }

  return {
    add(response, bytes) {
      if (bytes < limits.largeBytes) return;
      const now = performance.now();
      const entry = { response, bytes, since: now };
      waiting.add(entry);
      bytesInAll += bytes;
      const limit = setTimeout(disconnect, limits.timeMs, entry).unref();
      onceClosed(response, () => {
        clearTimeout(limit);
        forget(entry);
      });
      disconnectSlowest(now);
    },
  };
}
