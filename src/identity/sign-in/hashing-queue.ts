// Who may compute a password hash next: a few at a time, because each one takes a processor and 19 MiB, and no more waiting than
// can be served in good time. People on known devices come first, so that a flood of strangers does not keep them out.

export interface HashingQueueOptions {
  /** The most that run at the same time. */
  readonly concurrency: number;
  /** The most that wait. */
  readonly maxWaiting: number;
  /** A request that has waited for this long is refused. */
  readonly maxWaitMs: number;
  /** Makes the error of a refusal. */
  refuse(): Error;
}

export interface HashingQueueState {
  readonly running: number;
  readonly waiting: number;
  /** The number of refusals so far. */
  readonly refused: number;
}

export interface HashingQueue {
  /** Runs `work` when its turn comes, or rejects with the error of a refusal. */
  run<T>(work: () => Promise<T>, isKnownDevice: boolean): Promise<T>;
  state(): HashingQueueState;
}

interface Waiting {
  start(): void;
  refuse(): void;
}

/** Ends when somebody in the lane is started; rejects when they are refused, at the latest after `maxWaitMs`. */
function waitIn(lane: Waiting[], maxWaitMs: number, makeError: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      lane.splice(lane.indexOf(waiting), 1);
    };
    const waiting: Waiting = {
      start() {
        leave();
        resolve();
      },
      refuse() {
        leave();
        reject(makeError());
      },
    };
    const timer = setTimeout(waiting.refuse, maxWaitMs);
    lane.push(waiting);
  });
}

export function createHashingQueue({ concurrency, maxWaiting, maxWaitMs, refuse }: HashingQueueOptions): HashingQueue {
  const known: Waiting[] = [];
  const strangers: Waiting[] = [];
  let running = 0;
  let refused = 0;

  /** In a full queue the last stranger gives way to a known device: anyone who fills the queue refuses nobody but strangers. */
  function makeSpace(isKnownDevice: boolean): boolean {
    if (known.length + strangers.length < maxWaiting) return true;
    const last = isKnownDevice ? strangers.at(-1) : undefined;
    last?.refuse();
    return last !== undefined;
  }

  function countRefusal(): Error {
    refused++;
    return refuse();
  }

  async function begin(isKnownDevice: boolean): Promise<void> {
    if (running < concurrency) {
      running++;
      return;
    }
    if (!makeSpace(isKnownDevice)) throw countRefusal();
    await waitIn(isKnownDevice ? known : strangers, maxWaitMs, countRefusal);
  }

  /** Hands the turn on: `running` stays as it is where somebody takes it over. */
  function end(): void {
    const next = known[0] ?? strangers[0];
    if (next) next.start();
    else running--;
  }

  return {
    async run(work, isKnownDevice) {
      await begin(isKnownDevice);
      try {
        return await work();
      } finally {
        end();
      }
    },
    state: () => ({ running, waiting: known.length + strangers.length, refused }),
  };
}
