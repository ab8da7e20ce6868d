// Whose rows each of the latest commits has changed, so that what was read of other owners can go on being used. Every connection of
// Reeve that writes records each of its commits, in the same transaction.
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { decodeOwners, encodeOwners } from "../versions.ts";
import type { ChangedOwners } from "../versions.ts";

/** A reader that has missed more commits than this forgets all that it has read. */
const KEPT_COMMITS = 1_000;
/** Old records are deleted so many at once: each time would change one more page. */
const PRUNE_EVERY = 100;

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
      const sequence = Number(insert.run(encodeOwners(ownerIds)).lastInsertRowid);
      if (sequence % PRUNE_EVERY === 0) prune.run(sequence - KEPT_COMMITS);
    },
  };
}

/**
 * Reads the commits since the last call: the owners whose rows each has changed. Null: not all of them are known, because another
 * program made one, or because more than are kept were made.
 */
export function createCommitReader(db: DatabaseSync): () => readonly ChangedOwners[] | null {
  const select = db.prepare("select sequence, owner_ids from changed_owners where sequence > ? order by sequence");
  // The driver's objects are slow to make and to read.
  select.setReturnArrays(true);
  let lastSequence = 0;
  return () => {
    const rows = select.all(lastSequence) as unknown as (readonly [sequence: number, ownerIds: string | null])[];
    const isComplete = rows[0]?.[0] === lastSequence + 1;
    lastSequence = rows.at(-1)?.[0] ?? lastSequence;
    return isComplete ? rows.map(([, ownerIds]) => decodeOwners(ownerIds)) : null;
  };
}
