// Callers that were looked up and can't have changed since: valid only while the database is at the very version at
// which they were read, whoever writes to it, so a revoked token is refused by the next request all the same.
import type { Caller } from "./kernel/caller.ts";
import type { Awaitable } from "./kernel/tx.ts";

const MAX_CALLERS = 10_000;

export interface CallerCache {
  /** The cached caller of this credential; otherwise looks it up. */
  find(hash: string, now: number, lookUp: () => Awaitable<Caller | undefined>): Awaitable<Caller | undefined>;
}

/** `readVersion` answers a number that changes with every commit to the database. */
export function createCallerCache(readVersion: () => number): CallerCache {
  const callers = new Map<string, Caller>();
  let version = -1;

  async function lookUpAndKeep(hash: string, lookUp: () => Awaitable<Caller | undefined>): Promise<Caller | undefined> {
    const seen = version;
    const caller = await lookUp();
    // Keys may be bound to addresses, so only tokens, which are not, can be known by their hash alone.
    if (caller?.kind === "user" && seen === version && callers.size < MAX_CALLERS) callers.set(hash, caller);
    return caller;
  }

  return {
    find(hash, now, lookUp) {
      const current = readVersion();
      if (current !== version) {
        callers.clear();
        version = current;
      }
      const known = callers.get(hash);
      if (known && (known.expiresAt === null || known.expiresAt > now)) return known;
      return lookUpAndKeep(hash, lookUp);
    },
  };
}
