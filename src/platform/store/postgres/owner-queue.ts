// Bounds the connections on which transactions wait for the lock of one owner: further ones give their connection back and wait here, so that
// one that holds an owner's lock for long keeps no connection from changes of others.
import { StoreError } from "../database.ts";
import { POOL_SIZE } from "./driver.ts";

/** With one more for shared transactions, a quarter of all connections. */
const MAX_LOCKING = POOL_SIZE / 4 - 1;
/** As long as others wait for a connection. */
const MAX_WAIT_MS = 3_000;

/** Enough transactions wait for the owner's lock already; this one has to wait without a connection. */
class OwnerBusyError extends Error {}

/** A place among those that wait for an owner's lock on a connection. */
export interface LockPlace {
  /** The transaction has the lock, or has ended. It may be called again. */
  leave(): void;
}

/** Gives a place among those that wait for the lock of an owner, or ends the attempt. */
export type EnterQueue = (ownerId: string) => LockPlace;

export interface OwnerQueue {
  /**
   * Runs an attempt of a transaction, which enters for each owner before it asks for its lock. Where it meets too many, it has to end, and
   * runs again when its turn has come for all owners that it has asked for so far. Fails with a StoreError when that takes too long.
   */
  run<T>(attempt: (enter: EnterQueue) => Promise<T>): Promise<T>;
}

interface Owner {
  locking: number;
  /** In their order; each gets a place that is counted already. */
  readonly waiting: Set<(place: LockPlace) => void>;
}

/** `maxWaitMs`: how long a transaction waits for its turn at most. */
export function createOwnerQueue(maxWaitMs = MAX_WAIT_MS): OwnerQueue {
  const owners = new Map<string, Owner>();

  function placeOf(ownerId: string, owner: Owner): LockPlace {
    let isLeft = false;
    return {
      leave() {
        if (isLeft) return;
        isLeft = true;
        const [next] = owner.waiting;
        if (next) {
          owner.waiting.delete(next);
          next(placeOf(ownerId, owner));
        } else if (--owner.locking === 0) owners.delete(ownerId);
      },
    };
  }

  /** Undefined where no place is free. */
  function enter(ownerId: string): LockPlace | undefined {
    const owner = owners.get(ownerId) ?? { locking: 0, waiting: new Set() };
    if (owner.locking >= MAX_LOCKING) return undefined;
    owner.locking++;
    owners.set(ownerId, owner);
    return placeOf(ownerId, owner);
  }

  /** Resolves, in order, to a place that was left. */
  async function wait(ownerId: string): Promise<LockPlace> {
    const free = enter(ownerId);
    if (free) return free;
    const { waiting } = owners.get(ownerId) as Owner;
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(proceed);
        reject(new StoreError("the changes before this one took too long", { reason: "busy" }));
      }, maxWaitMs);
      function proceed(place: LockPlace): void {
        clearTimeout(timer);
        resolve(place);
      }
      waiting.add(proceed);
    });
  }

  return {
    async run(attempt) {
      const asked = new Set<string>();
      for (;;) {
        const places = new Map<string, LockPlace>();
        try {
          // In one order for all, or two transactions could hold what the other waits for.
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          for (const ownerId of [...asked].toSorted()) places.set(ownerId, await wait(ownerId));
          // oxlint-disable-next-line no-await-in-loop -- again with more places
          return await attempt((ownerId) => {
            asked.add(ownerId);
            const place = places.get(ownerId) ?? enter(ownerId);
            if (!place) throw new OwnerBusyError("other transactions wait for the lock of the same owner");
            return place;
          });
        } catch (error) {
          if (!(error instanceof OwnerBusyError)) throw error;
        } finally {
          for (const place of places.values()) place.leave();
        }
      }
    },
  };
}
