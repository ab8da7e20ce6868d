// What was read and can't have changed since: kept only while the database is at the very version at which it was
// read, whoever writes to it, so a right that was taken away is gone for the next request all the same.
import type { Awaitable } from "../kernel/tx.ts";

const MAX_ENTRIES = 10_000;

export interface VersionedCache<V> {
  /** What was loaded under this key at the present version; otherwise loads it. Absent things are not kept. */
  find(key: string, load: () => Awaitable<V | undefined>): Awaitable<V | undefined>;
}

/** `readVersion` answers a number that changes with every commit to the database. */
export function createVersionedCache<V>(readVersion: () => number): VersionedCache<V> {
  const entries = new Map<string, V>();
  let version = -1;

  async function loadAndKeep(key: string, load: () => Awaitable<V | undefined>): Promise<V | undefined> {
    const seen = version;
    const value = await load();
    if (value !== undefined && seen === version && entries.size < MAX_ENTRIES) entries.set(key, value);
    return value;
  }

  return {
    find(key, load) {
      const current = readVersion();
      if (current !== version) {
        entries.clear();
        version = current;
      }
      return entries.get(key) ?? loadAndKeep(key, load);
    },
  };
}
