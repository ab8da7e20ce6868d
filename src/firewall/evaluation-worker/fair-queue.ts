// A fair queue of jobs: callers take turns, and the jobs of one caller keep their order.

export interface FairQueue<J> {
  readonly size: number;
  countOf(caller: string): number;
  has(job: J): boolean;
  add(job: J): void;
  remove(job: J): void;
  /** The job whose turn it is. */
  first(): J | undefined;
  /** Removes a job whose turn it is; its caller's next turn comes after those of all other callers. */
  take(job: J): void;
  /** All jobs, in no particular order. */
  all(): readonly J[];
}

export function createFairQueue<J extends { readonly caller: string }>(): FairQueue<J> {
  /** By caller, in the order of turns. */
  const waiting = new Map<string, readonly J[]>();
  let size = 0;

  function remove(job: J): void {
    const others = (waiting.get(job.caller) ?? []).filter((other) => other !== job);
    size--;
    if (others.length === 0) waiting.delete(job.caller);
    else waiting.set(job.caller, others);
  }

  return {
    get size() {
      return size;
    },
    countOf: (caller) => waiting.get(caller)?.length ?? 0,
    has: (job) => waiting.get(job.caller)?.includes(job) ?? false,
    add(job) {
      waiting.set(job.caller, [...(waiting.get(job.caller) ?? []), job]);
      size++;
    },
    remove,
    first: () => waiting.values().next().value?.[0],
    take(job) {
      remove(job);
      const others = waiting.get(job.caller);
      if (!others) return;
      waiting.delete(job.caller);
      waiting.set(job.caller, others);
    },
    all: () => [...waiting.values()].flat(),
  };
}
