// A semaphore: a bounded number of permits, and a bounded queue of callers that wait for one, first come, first served. The
// number of permits may shrink below the configured one and grow back.

export interface SemaphoreOptions {
  /** The number of permits, at most. */
  readonly permits: number;
  /** When this many callers wait, further ones are refused at once. */
  readonly maxWaiting: number;
  /** A caller that has waited for this long is refused. */
  readonly maxWaitMs: number;
  /** Makes the error of a refusal. */
  refuse(): Error;
}

/** A queue of promises that resolve one by one, or fail after `maxWaitMs`. */
function createWaitQueue({ maxWaitMs, refuse }: Pick<SemaphoreOptions, "maxWaitMs" | "refuse">) {
  const queue: (() => void)[] = [];
  return {
    get size() {
      return queue.length;
    },
    /** Waits at the front of the queue, or at its end. */
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
    /** Removes the first caller from the queue; calling the result lets it proceed. */
    shift: () => queue.shift(),
  };
}

type WaitQueue = ReturnType<typeof createWaitQueue>;

export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #queue: WaitQueue;
  #permits: number;
  #held = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
    this.#queue = createWaitQueue(options);
    this.#permits = options.permits;
  }

  /** The present number of permits. */
  get permits(): number {
    return this.#permits;
  }

  /** The number of waiting callers. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Runs `work` with a permit. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const waiting = this.acquire();
    if (waiting) await waiting;
    try {
      return await work();
    } finally {
      this.release();
    }
  }

  /** Acquires a permit, at once where undefined is returned; `release` or `exchange` gives it back. */
  acquire(): Promise<void> | undefined {
    if (this.#held < this.#permits) {
      this.#held++;
      return undefined;
    }
    const { maxWaiting, refuse } = this.#options;
    return this.#queue.size >= maxWaiting ? Promise.reject(refuse()) : this.#queue.wait(false);
  }

  release(): void {
    this.#held--;
    this.#grantFree();
  }

  /**
   * Shrinks the number of permits to those that other callers have plus `spare` ones, for a caller whose permit turned out to
   * be useless. The caller gets a spare permit, or else waits, before all others, for one that another caller releases.
   * Resolves to false when no permit would be left: the caller then keeps its own.
   */
  async exchange(spare: number): Promise<boolean> {
    const others = this.#held - 1;
    if (others + spare === 0) return false;
    this.#permits = Math.min(this.#options.permits, others + spare);
    if (spare > 0) return true;
    this.#held = others;
    await this.#queue.wait(true);
    return true;
  }

  /** Raises the number of permits by one, up to the configured number. */
  growByOne(): void {
    this.#growTo(this.#permits + 1);
  }

  growToMost(): void {
    this.#growTo(this.#options.permits);
  }

  #growTo(count: number): void {
    this.#permits = Math.min(this.#options.permits, Math.max(this.#permits, count));
    this.#grantFree();
  }

  #grantFree(): void {
    while (this.#held < this.#permits) {
      const proceed = this.#queue.shift();
      if (!proceed) return;
      this.#held++;
      proceed();
    }
  }
}
