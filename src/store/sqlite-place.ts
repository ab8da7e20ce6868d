// Putting another database in the place of an embedded store, and only when no process has that open. Whatever happens in
// between, the one or the other lies there, whole.
import { existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "./database.ts";
import { SqliteTx, isSqliteBusy, isSqliteDamaged } from "./sqlite.ts";

/** For a process that is about to end. */
const PATIENCE_MS = 2_000;

/** Has the database for itself for as long as `use` takes: a server that runs has it open all the time. */
async function withAlone<T>(file: string, use: (tx: SqliteTx) => Promise<T>): Promise<T> {
  using db = new DatabaseSync(file, { timeout: PATIENCE_MS });
  try {
    // Before anything is read: then not even those get in that only read, and are idle. https://sqlite.org/wal.html#noshm
    db.exec("pragma locking_mode = exclusive; begin exclusive; commit");
  } catch (error) {
    if (!isSqliteBusy(error)) throw error;
    throw new StoreError(`the store ${file} is in use: stop its server, and whatever else has it open`, {
      cause: error,
    });
  }
  return await use(new SqliteTx(db));
}

/** What `look` finds in a store that nobody else has open; undefined where it is too damaged to be read. */
export async function lookAlone<T>(file: string, look: (tx: SqliteTx) => Promise<T>): Promise<T | undefined> {
  try {
    return await withAlone(file, look);
  } catch (error) {
    if (!isSqliteDamaged(error)) throw error;
    return undefined;
  }
}

function takeAway(file: string, kept: string | null): void {
  if (kept !== null && existsSync(file)) renameSync(file, kept);
  else rmSync(file, { force: true });
}

/** Puts `candidate` where the store `file` is, or is to be. What was there stays as `kept`, if that is given. */
export async function placeSqlite(candidate: string, file: string, kept: string | null): Promise<void> {
  function put(): void {
    // A log without its database would be taken for the new one's.
    takeAway(`${file}-wal`, kept === null ? null : `${kept}-wal`);
    rmSync(`${file}-shm`, { force: true });
    if (kept !== null) linkSync(file, kept);
    renameSync(candidate, file);
  }
  const isPut =
    existsSync(file) &&
    (await lookAlone(file, async (tx) => {
      // Brings the log into the file and does without one, so that closing has nothing left to do at this place.
      await tx.query("pragma journal_mode = delete");
      put();
      return true;
    }));
  if (!isPut) put();
  await using folder = await open(dirname(file), "r");
  await folder.sync();
}
