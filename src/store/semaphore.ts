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

  /** The number of those who wait. */
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
   * For a holder that finds its permit useless, because there are only as many as others hold, and `spare` ones. It gives up its
   * permit, and gets one of those before all who wait. Resolves to false where there is none: it keeps its own then.
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

  /** Raises the number of permits by one, up to the most. */
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
