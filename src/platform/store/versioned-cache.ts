// A cache of values read from the database. A value is found as long as nobody, in whatever process, has changed what it depends on.
// So a revoked permission is gone for the next request.
import type { StoreVersions } from "./versions.ts";

export interface VersionedCache<V> {
  /** The value of this key, if it is current at the present version. */
  find(key: string): V | undefined;
  /**
   * Stores a value of which everything was read at version `readAt` or later, unless what it depends on has changed since.
   * `ownerId` as in `StoreVersions.isCurrent`.
   */
  set(key: string, value: V, readAt: number, ownerId: string | null): void;
}

export interface CacheBounds<V> {
  /** The maximum of the sum of the sizes of all entries. */
  readonly capacity: number;
  sizeOf(key: string, value: V): number;
}

interface Entry<V> {
  readonly value: V;
  readonly size: number;
  readonly readAt: number;
  readonly ownerId: string | null;
}

export function createVersionedCache<V>(
  versions: StoreVersions,
  { capacity, sizeOf }: CacheBounds<V>,
): VersionedCache<V> {
  const entries = new Map<string, Entry<V>>();
  let total = 0;

  return {
    find(key) {
      const entry = entries.get(key);
      // An outdated entry stays: what is read now replaces it, which costs less than taking it out and making it again.
      return entry && versions.isCurrent(entry.readAt, entry.ownerId) ? entry.value : undefined;
    },
    set(key, value, readAt, ownerId) {
      if (!versions.isCurrent(readAt, ownerId)) return;
      const size = sizeOf(key, value);
      if (size > capacity) return;
      total -= entries.get(key)?.size ?? 0;
      // What is outdated and no longer asked for takes room too: what is asked for is soon stored again.
      if (total + size > capacity) {
        entries.clear();
        total = 0;
      }
      entries.set(key, { value, size, readAt, ownerId });
      total += size;
    },
  };
}
