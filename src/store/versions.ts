// The versions of a database, by which caches know whether what they hold is still what a read would return.

export interface StoreVersions {
  /** The present version: a number that is another one for each state of the database. It is constant during one turn of the event loop. */
  present(): number;
  /**
   * Whether what was read at the version `readAt` is the same at the version that `present` returned last. `ownerId` is the owner
   * whose rows it depends on; `NO_OWNER`: none; null: it depends on rows of others too.
   */
  isCurrent(readAt: number, ownerId: string | null): boolean;
}

/** Of what depends on callers alone: accounts, credentials and memberships. */
export const NO_OWNER = "";
