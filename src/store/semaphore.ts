// A bounded number of places for work, and a bounded line of those who wait for one, in the order in which they came. There
// may turn out to be fewer places than was thought.

export interface SemaphoreOptions {
  /** The most that there may be. */
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
  /** Takes a place as soon as there is one; whoever has taken one leaves it, or loses it. */
  enter(): Promise<void> | undefined;
  leave(): void;
  /**
   * For whoever finds that its place is none: there are only as many as others have taken, and `spare` ones. It loses its own,
   * goes before all who wait, and resolves with one of those. False when there is none: then it keeps its own.
   */
  exchange(spare: number): Promise<boolean>;
  /** There may be one place more than was found, or as many as at first. */
  growByOne(): void;
  growToMost(): void;
  /** How many there are. */
  readonly places: number;
  /** How many wait. */
  readonly waiting: number;
}

export function createSemaphore({ places: most, maxWaiting, maxWaitMs, refuse }: SemaphoreOptions): Semaphore {
  let places = most;
  let taken = 0;
  /** How to let each of those who wait go on; the first goes on first. */
  const line: (() => void)[] = [];

  function wait(isFirst: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        line.splice(line.indexOf(goOn), 1);
        reject(refuse());
      }, maxWaitMs);
      function goOn(): void {
        clearTimeout(timer);
        resolve();
      }
      if (isFirst) line.unshift(goOn);
      else line.push(goOn);
    });
  }

  /** Gives the places that are free to those who have waited longest. */
  function letGoOn(): void {
    while (taken < places) {
      const goOn = line.shift();
      if (!goOn) return;
      taken++;
      goOn();
    }
  }

  function growTo(count: number): void {
    places = Math.min(most, Math.max(places, count));
    letGoOn();
  }

  /** At once where there is a place. */
  function enter(): Promise<void> | undefined {
    if (taken < places) {
      taken++;
      return undefined;
    }
    return line.length >= maxWaiting ? Promise.reject(refuse()) : wait(false);
  }

  function leave(): void {
    taken--;
    letGoOn();
  }

  return {
    async run(work) {
      const waiting = enter();
      if (waiting) await waiting;
      try {
        return await work();
      } finally {
        leave();
      }
    },
    enter,
    leave,
    async exchange(spare) {
      const others = taken - 1;
      if (others + spare === 0) return false;
      places = Math.min(most, others + spare);
      if (spare > 0) return true;
      taken = others;
      await wait(true);
      return true;
    },
    growByOne: () => growTo(places + 1),
    growToMost: () => growTo(most),
    get places() {
      return places;
    },
    get waiting() {
      return line.length;
    },
  };
}
