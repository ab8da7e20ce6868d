// A bounded number of permits, and a bounded queue of those who wait for one, first come, first served. The number of permits
// may turn out to be lower than configured, and grow back.

export interface SemaphoreOptions {
  /** The number of permits, at most. */
  readonly permits: number;
  /** With this many waiting, further ones are refused at once. */
  readonly maxWaiting: number;
  /** After waiting for this long, one is refused. */
  readonly maxWaitMs: number;
  /** Makes the error of a refusal. */
  refuse(): Error;
}

export interface Semaphore {
  /** Runs `work` with a permit. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Acquires a permit, at once where undefined is returned; `release` or `exchange` gives it back. */
  acquire(): Promise<void> | undefined;
  release(): void;
  /**
   * For a holder that finds its permit useless, because there are only as many as others hold, and `spare` ones. It gives up its
   * permit, and gets one of those before all who wait. Resolves to false where there is none: it keeps its own then.
   */
  exchange(spare: number): Promise<boolean>;
  /** Raises the number of permits by one, or to the most. */
  growByOne(): void;
  growToMost(): void;
  /** The present number of permits. */
  readonly permits: number;
  /** The number of those who wait. */
  readonly waiting: number;
}

/** A queue of promises that resolve one by one, or fail after `maxWaitMs`. */
function createWaitQueue({ maxWaitMs, refuse }: Pick<SemaphoreOptions, "maxWaitMs" | "refuse">) {
  const queue: (() => void)[] = [];
  return {
    get size() {
      return queue.length;
    },
    /** Waits before all others, or behind them. */
    wait(isFirst: boolean): Promise<void> {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          queue.splice(queue.indexOf(proceed), 1);
          reject(refuse());
        }, maxWaitMs);
        function proceed(): void {
          clearTimeout(timer);
          resolve();
        }
        if (isFirst) queue.unshift(proceed);
        else queue.push(proceed);
      });
    },
    /** Takes the first one out of the queue; calling the result lets it proceed. */
    shift: () => queue.shift(),
  };
}

export function createSemaphore({ permits: most, maxWaiting, ...limits }: SemaphoreOptions): Semaphore {
  const queue = createWaitQueue(limits);
  let permits = most;
  let held = 0;

  function grantFree(): void {
    while (held < permits) {
      const proceed = queue.shift();
      if (!proceed) return;
      held++;
      proceed();
    }
  }

  function growTo(count: number): void {
    permits = Math.min(most, Math.max(permits, count));
    grantFree();
  }

  function acquire(): Promise<void> | undefined {
    if (held < permits) {
      held++;
      return undefined;
    }
    return queue.size >= maxWaiting ? Promise.reject(limits.refuse()) : queue.wait(false);
  }

  function release(): void {
    held--;
    grantFree();
  }

  return {
    async run(work) {
      const waiting = acquire();
      if (waiting) await waiting;
      try {
        return await work();
      } finally {
        release();
      }
    },
    acquire,
    release,
    async exchange(spare) {
      const others = held - 1;
      if (others + spare === 0) return false;
      permits = Math.min(most, others + spare);
      if (spare > 0) return true;
      held = others;
      await queue.wait(true);
      return true;
    },
    growByOne: () => growTo(permits + 1),
    growToMost: () => growTo(most),
    get permits() {
      return permits;
    },
    get waiting() {
      return queue.size;
    },
  };
}
