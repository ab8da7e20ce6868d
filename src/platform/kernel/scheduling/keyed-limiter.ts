// Limits concurrent long-running work: a number for each key, and a number for all keys together.
export interface KeyedLimits {
  readonly each: number;
  readonly all: number;
}

export interface KeyedLimiter {
  /** Takes a slot, or throws when there is none. Returns a function that releases the slot. */
  take(key: string): () => void;
}

/** `refuse` creates the error to throw when a limit is reached. */
export function createKeyedLimiter(
  { each, all }: KeyedLimits,
  refuse: (limit: keyof KeyedLimits) => Error,
): KeyedLimiter {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(key) {
      const count = taken.get(key) ?? 0;
      if (count >= each) throw refuse("each");
      if (total >= all) throw refuse("all");
      taken.set(key, count + 1);
      total++;
      return () => {
        total--;
        const left = (taken.get(key) as number) - 1;
        if (left === 0) taken.delete(key);
        else taken.set(key, left);
      };
    },
  };
}
