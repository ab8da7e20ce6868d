// A cache of values read from the database, valid only at the exact version of the database at which they were read, whoever
// writes to it. So a revoked permission is gone for the next request.

export interface VersionedCache<V> {
  /** The present version of the database; entries of any other version are dropped. */
  version(): number;
  /** The value of this key, as of the last call of `version`. */
  find(key: string): V | undefined;
  /** Stores a value that was read at version `readAt`, unless the version has changed since or there is no room. */
  set(key: string, value: V, readAt: number): void;
}

export interface CacheBounds<V> {
  /** The maximum of the sum of the sizes of all entries. */
  readonly capacity: number;
  sizeOf(key: string, value: V): number;
}

/** `readVersion` returns a number that changes with every commit to the database. */
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
    set(key, value, readAt) {
      // A concurrent read may have stored it already.
      if (readAt !== present || entries.has(key)) return;
      const more = sizeOf(key, value);
      if (size + more > capacity) return;
      entries.set(key, value);
      size += more;
    },
  };
}
