// The versions of a database, by which caches know whether what they hold is still what a read would return.
import type { Awaitable } from "../kernel/tx.ts";

export interface StoreVersions {
  /**
   * Call it before the first read of a request, and wait for its result: from then on, reads and the present version show every
   * commit that was acknowledged before the call.
   */
  refresh(): Awaitable<void>;
  /** The newest known version: a number that is another one after each change of the database. */
  present(): number;
  /**
   * Whether what was read at the version `readAt` is the same at the present version. `ownerId` is the owner
   * whose rows it depends on; `NO_OWNER`: none; null: it depends on rows of others too.
   */
  isCurrent(readAt: number, ownerId: string | null): boolean;
}

/** Of what depends on callers alone: accounts, credentials and memberships. */
export const NO_OWNER = "";

/** The owners whose rows a commit has changed; null: it may have changed anything. */
export type ChangedOwners = readonly string[] | null;

/** The same as the text of a row of `changed_owners`. */
export function encodeOwners(ownerIds: ReadonlySet<string> | null): string | null {
  return ownerIds && JSON.stringify([...ownerIds].filter((id) => id !== NO_OWNER));
}

export function decodeOwners(text: string | null): ChangedOwners {
  return text === null ? null : (JSON.parse(text) as string[]);
}

/** A cache knows for as many owners when they changed. */
const KNOWN_OWNERS = 10_000;

/** When each owner's rows have last changed, as one reader of the database learns of it. */
export class OwnerVersions {
  readonly #changedAt = new Map<string, number>();
  #present = 0;
  #anythingChangedAt = 0;

  get present(): number {
    return this.#present;
  }

  /** Begins the next version, with what was committed since the present one; null: the commits are not known. */
  advance(commits: readonly ChangedOwners[] | null): void {
    this.#present++;
    if (commits === null || commits.includes(null) || this.#changedAt.size > KNOWN_OWNERS) {
      this.#changedAt.clear();
      this.#anythingChangedAt = this.#present;
      return;
    }
    for (const ids of commits) {
      for (const id of ids ?? []) this.#changedAt.set(id, this.#present);
    }
  }

  isCurrent(readAt: number, ownerId: string | null): boolean {
    if (readAt === this.#present) return true;
    if (ownerId === null || readAt < this.#anythingChangedAt) return false;
    return readAt >= (this.#changedAt.get(ownerId) ?? 0);
  }
}

/** What was read then is never current. */
const NEVER = -1;

/**
 * The version of what is read from now on for a caller: the present one, unless the caller has changed since they were read at the
 * version `readAt`.
 */
export function versionFor(versions: StoreVersions, { readAt = NEVER }: { readonly readAt?: number }): number {
  const present = versions.present();
  return versions.isCurrent(readAt, NO_OWNER) ? present : NEVER;
}
