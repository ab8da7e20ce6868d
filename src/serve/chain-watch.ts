// Wakes live streams when the event chains of their owners have grown: at once after a commit of this process, and soon
// after a commit of any other process on the same database, by polling. One statement reads the chains of all watched owners.
import type { ChainWatch } from "../platform/operations/operation-runner.ts";
import type { Tx } from "../platform/kernel/tx.ts";
import { findHeads } from "../events/events/store.ts";

const POLL_MS = 250;

interface WatchedOwner {
  watches: number;
  /** The chain's last sequence, as of the last read. */
  sequence: number;
  /** Called after each read. */
  readonly onRead: Set<() => void>;
}

export interface ChainWatching {
  watch(ownerId: string): ChainWatch;
  /** Reads the chains again: this process has committed something. */
  wake(): void;
  stop(): void;
}

/** Runs `read` after each wake, one run at a time; wakes during a run lead to one more. */
function createReadLoop(read: () => Promise<void>): () => void {
  let isRequested = false;
  let isRunning = false;

  async function run(): Promise<void> {
    while (isRequested) {
      isRequested = false;
      // Ignored: the next read of a stream fails in the same way and reports it.
      await read().catch(() => undefined);
    }
    isRunning = false;
  }

  return () => {
    isRequested = true;
    if (isRunning) return;
    isRunning = true;
    // One read covers all commits of a turn of the event loop.
    setImmediate(() => void run());
  };
}

/** Resolves when the owner's chain has gone beyond a sequence, at the timeout, or when `signal` aborts. */
async function waitBeyond(owner: WatchedOwner, beyond: number, timeoutMs: number, signal: AbortSignal): Promise<void> {
  if (owner.sequence > beyond || signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const compare = () => {
    if (owner.sequence > beyond) resolve();
  };
  const abort = () => resolve();
  const timeout = setTimeout(resolve, timeoutMs);
  owner.onRead.add(compare);
  signal.addEventListener("abort", abort);
  await promise;
  clearTimeout(timeout);
  owner.onRead.delete(compare);
  signal.removeEventListener("abort", abort);
}

export function createChainWatching(reader: Tx): ChainWatching {
  const owners = new Map<string, WatchedOwner>();
  let timer: NodeJS.Timeout | undefined;

  const requestRead = createReadLoop(async () => {
    if (owners.size === 0) return;
    for (const { id, sequence } of await findHeads(reader, { ids: JSON.stringify([...owners.keys()]) })) {
      const owner = owners.get(id);
      if (!owner) continue;
      owner.sequence = sequence;
      for (const listener of owner.onRead) listener();
    }
  });

  function wake(): void {
    if (owners.size > 0) requestRead();
  }

  function addOwner(ownerId: string): WatchedOwner {
    const owner = { watches: 0, sequence: 0, onRead: new Set<() => void>() };
    owners.set(ownerId, owner);
    timer ??= setInterval(wake, POLL_MS).unref();
    // Reads what was committed before the first watch.
    wake();
    return owner;
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    wake,
    stop,
    watch(ownerId) {
      const owner = owners.get(ownerId) ?? addOwner(ownerId);
      owner.watches++;
      return {
        wait: (beyond, timeoutMs, signal) => waitBeyond(owner, beyond, timeoutMs, signal),
        end() {
          owner.watches--;
          if (owner.watches > 0) return;
          owners.delete(ownerId);
          if (owners.size === 0) stop();
        },
      };
    },
  };
}
