// Places for what takes long: each subject may have some at a time, and so may all together.
import type { ApiError } from "../errors.ts";

export interface KeyedLimits {
  readonly each: number;
  readonly all: number;
}

export interface KeyedLimiter {
  /** Takes a place, or throws; answers how to give it back. */
  take(subject: string): () => void;
}

/** `refuse` makes the error that is thrown, of the limit that is reached. */
export function createKeyedLimiter(
  { each, all }: KeyedLimits,
  refuse: (limit: keyof KeyedLimits) => ApiError,
): KeyedLimiter {
  const taken = new Map<string, number>();
  let total = 0;
  return {
    take(subject) {
      const count = taken.get(subject) ?? 0;
      if (count >= each) throw refuse("each");
      if (total >= all) throw refuse("all");
      taken.set(subject, count + 1);
      total++;
      return () => {
        total--;
        const left = (taken.get(subject) as number) - 1;
        if (left === 0) taken.delete(subject);
        else taken.set(subject, left);
      };
    },
  };
}
