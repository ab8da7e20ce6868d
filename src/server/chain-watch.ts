// Tells when the chains of owners have gone further: at once after a commit of this process, and soon after one of any
// other, since those who share the database are asked for by one statement for all owners that somebody watches.
import type { ChainWatch } from "../operations/operation-runner.ts";
import type { Tx } from "../kernel/tx.ts";
import { findHeads } from "../resources/events/store.ts";

const POLL_MS = 250;

interface WatchedOwner {
  watches: number;
  /** How far the chain went when it was looked at last. */
  sequence: number;
  /** Called after each look. */
  readonly onLook: Set<() => void>;
}

export interface ChainWatching {
  watch(ownerId: string): ChainWatch;
  /** Something was committed here. */
  nudge(): void;
  stop(): void;
}

export function createChainWatching(reader: Tx): ChainWatching {
  const owners = new Map<string, WatchedOwner>();
  let timer: NodeJS.Timeout | undefined;
  let isAsked = false;
  let isLooking = false;

  async function look(): Promise<void> {
    for (const { id, sequence } of await findHeads(reader, { ids: JSON.stringify([...owners.keys()]) })) {
      const owner = owners.get(id);
      if (!owner) continue;
      owner.sequence = sequence;
      for (const tell of owner.onLook) tell();
    }
  }

  async function lookWhileAsked(): Promise<void> {
    while (isAsked && owners.size > 0) {
      isAsked = false;
      // Whoever reads its stream next meets the same trouble, and is told of it.
      await look().catch(() => undefined);
    }
    isLooking = false;
  }

  /** What is committed in one turn of the event loop is looked at once. */
  function nudge(): void {
    isAsked = true;
    if (isLooking || owners.size === 0) return;
    isLooking = true;
    setImmediate(() => void lookWhileAsked());
  }

  function enter(ownerId: string): WatchedOwner {
    const known = owners.get(ownerId);
    if (known) return known;
    const owner = { watches: 0, sequence: 0, onLook: new Set<() => void>() };
    owners.set(ownerId, owner);
    timer ??= setInterval(nudge, POLL_MS).unref();
    // For what was committed before anybody watched.
    nudge();
    return owner;
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    nudge,
    stop,
    watch(ownerId) {
      const owner = enter(ownerId);
      owner.watches++;
      return {
        async wait(beyond, timeoutMs, signal) {
          if (owner.sequence > beyond || signal.aborted) return;
          const { promise, resolve } = Promise.withResolvers<void>();
          const tell = () => {
            if (owner.sequence > beyond) resolve();
          };
          const timeout = setTimeout(resolve, timeoutMs);
          const give = () => resolve();
          owner.onLook.add(tell);
          signal.addEventListener("abort", give);
          await promise;
          clearTimeout(timeout);
          owner.onLook.delete(tell);
          signal.removeEventListener("abort", give);
        },
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
