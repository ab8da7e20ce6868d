// Putting another database in the place of an embedded store, and only when no process has that open. Whatever happens in
// between, the one or the other lies there, whole.
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../database.ts";
import { SqliteTx, isSqliteBusy, isSqliteDamaged } from "./sqlite.ts";

/** For a process that is about to end. */
const PATIENCE_MS = 2_000;

/** Has the database for itself for as long as `use` takes: a server that runs has it open all the time. */
async function withExclusiveAccess<T>(file: string, use: (tx: SqliteTx) => Promise<T>): Promise<T> {
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

/** Gives `look` a store that nobody else has open, or null where it is too damaged to be read; nothing, where there is none. */
export async function inspectExclusively<T>(
  file: string,
  look: (tx: SqliteTx | null) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(file)) return undefined;
  try {
    return await withExclusiveAccess(file, look);
  } catch (error) {
    if (!isSqliteDamaged(error)) throw error;
    return await look(null);
  }
}

/**
 * Puts `candidate` where the store `file` is, or is to be. `decide` looks at the one that is there, and answers the name that
 * it is kept under, or null where it is not worth keeping; `replaceDatabase` answers the same.
 */
export async function replaceDatabase(
  candidate: string,
  file: string,
  decide: (tx: SqliteTx | null) => Promise<string | null>,
): Promise<string | null> {
  async function put(kept: string | null): Promise<void> {
    const log = `${file}-wal`;
    if (kept !== null) {
      mkdirSync(dirname(kept), { recursive: true, mode: 0o700 });
      linkSync(file, kept);
      if (existsSync(log)) linkSync(log, `${kept}-wal`);
      await syncFolder(dirname(kept));
    }
    // A log without its database would be taken for the new one's.
    rmSync(log, { force: true });
    rmSync(`${file}-shm`, { force: true });
    renameSync(candidate, file);
  }
  const kept = await inspectExclusively(file, async (tx) => {
    const name = await decide(tx);
    // Brings the log into the file and does without one, so that closing has nothing left to do at this place.
    await tx?.query("pragma journal_mode = delete");
    await put(name);
    return name;
  });
  if (kept === undefined) await put(null);
  await syncFolder(dirname(file));
  return kept ?? null;
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
