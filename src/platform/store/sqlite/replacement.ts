// Replaces an embedded store by another database, only while no process has it open. Whatever happens meanwhile, a complete
// database is in its place: the old one or the new one.
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../database.ts";
import { SqliteTx, isSqliteBusy, isSqliteDamaged } from "./sqlite.ts";

/** The time to wait for a process that is about to end. */
const BUSY_TIMEOUT_MS = 2_000;

/** Runs `use` with exclusive access to the database; fails while a server runs, which always has it open. */
async function withExclusiveAccess<T>(file: string, use: (tx: SqliteTx) => Promise<T>): Promise<T> {
  using db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    // Before any read, so that the lock also excludes connections that only read, and idle ones.
    // https://sqlite.org/wal.html#noshm
    db.exec("pragma locking_mode = exclusive; begin exclusive; commit");
  } catch (error) {
    if (!isSqliteBusy(error)) throw error;
    throw new StoreError(`the store ${file} is in use: stop its server, and whatever else has it open`, {
      cause: error,
    });
  }
  return await use(new SqliteTx(db));
}

/** Calls `look` with exclusive access to the store, or with null if it is too damaged to be read. Does nothing without a store. */
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
 * Moves the database `staged` to the path `file` of the store. `decide` inspects the present store and returns the name under which
 * to keep it, or null to drop it; `replaceDatabase` returns the same.
 */
export async function replaceDatabase(
  staged: string,
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
    // SQLite would apply the old log to the new database.
    rmSync(log, { force: true });
    rmSync(`${file}-shm`, { force: true });
    renameSync(staged, file);
  }
  const kept = await inspectExclusively(file, async (tx) => {
    const name = await decide(tx);
    // Merges the log into the file and removes it, so that closing the connection changes nothing at this path.
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
