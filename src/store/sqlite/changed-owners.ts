// Whose rows each of the latest commits has changed, so that what was read of other owners can go on being used. Every connection of
// Reeve that writes records each of its commits, in the same transaction.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreVersions } from "../versions.ts";

/** A reader that has missed more commits than this forgets all that it has read. */
const KEPT_COMMITS = 1_000;
/** Old records are deleted so many at once: each time would change one more page. */
const PRUNE_EVERY = 100;
/** A reader knows for as many owners when they changed. */
const KNOWN_OWNERS = 10_000;

/** Records the commits of a connection. */
export interface ChangeRecorder {
  /** Call it last in a transaction: the owners whose rows it has changed; null where it may have changed anything. */
  record(ownerIds: ReadonlySet<string> | null): void;
}

export function createChangeRecorder(db: DatabaseSync): ChangeRecorder {
  let statements: readonly [insert: StatementSync, prune: StatementSync] | undefined;
  return {
    record(ownerIds) {
      if (!statements) {
        // A database that is being made or upgraded has no such table yet, and no reader of it.
        if (!db.prepare("select 1 from sqlite_schema where name = 'changed_owners'").get()) return;
        statements = [
          db.prepare("insert into changed_owners (owner_ids) values (?)"),
          db.prepare("delete from changed_owners where sequence <= ?"),
        ];
      }
      const [insert, prune] = statements;
      const sequence = Number(insert.run(ownerIds && JSON.stringify([...ownerIds])).lastInsertRowid);
      if (sequence % PRUNE_EVERY === 0) prune.run(sequence - KEPT_COMMITS);
    },
  };
}

interface Commit {
  readonly sequence: number;
  /** Null: anything. */
  readonly ownerIds: readonly string[] | null;
}

function prepareCommits(db: DatabaseSync): (after: number) => Commit[] {
  const select = db.prepare("select sequence, owner_ids from changed_owners where sequence > ? order by sequence");
  return (after) =>
    select.all(after).map(({ sequence, owner_ids: ids }) => ({
      sequence: Number(sequence),
      ownerIds: ids === null ? null : (JSON.parse(String(ids)) as string[]),
    }));
}

/** The versions of the database as one reader sees them, one for each state of it. */
export class OwnerVersions implements StoreVersions {
  readonly #readCommits: (after: number) => Commit[];
  readonly #openSnapshot: () => void;
  readonly #changedAt = new Map<string, number>();
  #present = 0;
  #anythingChangedAt = 0;
  #lastSequence = 0;

  /** `openSnapshot` makes sure that the reader has one, and calls `advance` if it is of another state than the last one. */
  constructor(db: DatabaseSync, openSnapshot: () => void) {
    this.#readCommits = prepareCommits(db);
    this.#openSnapshot = openSnapshot;
  }

  /** Reads in a new snapshot what has changed since the one before. */
  advance(): void {
    const commits = this.#readCommits(this.#lastSequence);
    const expected = this.#lastSequence + 1;
    const isComplete = commits[0]?.sequence === expected && commits.every(({ ownerIds }) => ownerIds !== null);
    this.#present++;
    this.#lastSequence = commits.at(-1)?.sequence ?? this.#lastSequence;
    // A change by another program has no record, and more than are kept may have been made since.
    if (!isComplete || this.#changedAt.size > KNOWN_OWNERS) {
      this.#changedAt.clear();
      this.#anythingChangedAt = this.#present;
      return;
    }
    for (const { ownerIds } of commits) {
      for (const id of ownerIds ?? []) this.#changedAt.set(id, this.#present);
    }
  }

  present(): number {
    this.#openSnapshot();
    return this.#present;
  }

  isCurrent(readAt: number, ownerId: string | null): boolean {
    if (readAt === this.#present) return true;
    if (ownerId === null || readAt < this.#anythingChangedAt) return false;
    return readAt >= (this.#changedAt.get(ownerId) ?? 0);
  }
}
