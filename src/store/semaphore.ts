// A bounded number of places for work, and a bounded line of those who wait for one, in the order in which they came.

export interface SemaphoreOptions {
  readonly places: number;
  /** Whoever comes when so many wait is refused at once. */
  readonly maxWaiting: number;
  /** Whoever has waited for so long is refused. */
  readonly maxWaitMs: number;
  /** Makes the error of a refusal. */
  refuse(): Error;
}

export interface Semaphore {
  /** Runs `work` as soon as there is a place for it. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** How many wait. */
  readonly waiting: number;
}

export function createSemaphore({ places, maxWaiting, maxWaitMs, refuse }: SemaphoreOptions): Semaphore {
  let free = places;
  /** How to let each of those who wait go on; in a set, the first is the one who came first. */
  const line = new Set<() => void>();

  function wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.delete(goOn);
        reject(refuse());
      }, maxWaitMs);
      function goOn(): void {
        clearTimeout(timer);
        resolve();
      }
      line.add(goOn);
    });
  }

  /** Gives the place to whoever has waited longest. */
  function leave(): void {
    for (const goOn of line) {
      line.delete(goOn);
      goOn();
      return;
    }
    free++;
  }

  return {
    async run(work) {
      if (free > 0) free--;
      else if (line.size >= maxWaiting) throw refuse();
      else await wait();
      try {
        return await work();
      } finally {
        leave();
      }
    },
    get waiting() {
      return line.size;
    },
  };
}
