// Bounds the connections on which transactions wait for the lock of one owner: further ones give their connection back and wait here, so that
// whoever holds an owner's lock for long keeps no connection from changes of others.
import { StoreError } from "../database.ts";
import { POOL_SIZE } from "./driver.ts";

/** With one more for shared transactions, a quarter of all connections. */
const MAX_LOCKING = POOL_SIZE / 4 - 1;
/** As long as others wait for a connection. */
const MAX_WAIT_MS = 3_000;

/** Enough transactions wait for the owner's lock already; this one has to wait without a connection. */
export class OwnerBusyError extends Error {
  readonly ownerId: string;

  constructor(ownerId: string) {
    super("other transactions wait for the lock of the same owner");
    this.ownerId = ownerId;
  }
}

/** A place among those that wait for an owner's lock on a connection. */
export interface LockPlace {
  readonly ownerId: string;
  /** The transaction has the lock, or has ended. It may be called again. */
  leave(): void;
}

export interface OwnerQueue {
  /** Throws an OwnerBusyError when no place is free. */
  enter(ownerId: string): LockPlace;
  /** Resolves, in order, to a place that was left. Rejects with a StoreError when that takes too long. */
  wait(ownerId: string): Promise<LockPlace>;
}

interface Owner {
  locking: number;
  /** In their order; each gets a place that is counted already. */
  readonly waiting: Set<(place: LockPlace) => void>;
}

export function createOwnerQueue(): OwnerQueue {
  const owners = new Map<string, Owner>();

  function placeOf(ownerId: string, owner: Owner): LockPlace {
    let isLeft = false;
    return {
      ownerId,
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

  return {
    enter(ownerId) {
      const owner = owners.get(ownerId) ?? { locking: 0, waiting: new Set() };
      if (owner.locking >= MAX_LOCKING) throw new OwnerBusyError(ownerId);
      owner.locking++;
      owners.set(ownerId, owner);
      return placeOf(ownerId, owner);
    },
    wait(ownerId) {
      const owner = owners.get(ownerId);
      // All have left meanwhile.
      if (!owner || owner.locking < MAX_LOCKING) return Promise.resolve(this.enter(ownerId));
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          owner.waiting.delete(proceed);
          reject(new StoreError("the changes before this one took too long", { reason: "busy" }));
        }, MAX_WAIT_MS);
        function proceed(place: LockPlace): void {
          clearTimeout(timer);
          resolve(place);
        }
        owner.waiting.add(proceed);
      });
    },
  };
}
