// What was read and can't have changed since: kept only while the database is at the very version at which it was
// read, whoever writes to it, so a right that was taken away is gone for the next request all the same.

export interface VersionedCache<V> {
  /** The present version of the database; whatever was kept at another one is forgotten. */
  version(): number;
  /** What is kept under this key at the version that was last asked for. */
  find(key: string): V | undefined;
  /** Keeps what was read since the version was `readAt`, unless there has been another one or there is no room. */
  keep(key: string, value: V, readAt: number): void;
}

export interface CacheBounds<V> {
  /** How much is kept at most, in the unit of `sizeOf`. */
  readonly capacity: number;
  sizeOf(key: string, value: V): number;
}

/** `readVersion` answers a number that changes with every commit to the database. */
export function createVersionedCache<V>(
  readVersion: () => number,
  { capacity, sizeOf }: CacheBounds<V>,
): VersionedCache<V> {
  const entries = new Map<string, V>();
  let present = -1;
  let size = 0;
  return {
    version() {
      const version = readVersion();
      if (version !== present) {
        entries.clear();
        size = 0;
        present = version;
      }
      return version;
    },
    find: (key) => entries.get(key),
    keep(key, value, readAt) {
      // Of two reads at once the other one has kept it.
      if (readAt !== present || entries.has(key)) return;
      const more = sizeOf(key, value);
      if (size + more > capacity) return;
      entries.set(key, value);
      size += more;
    },
  };
}
