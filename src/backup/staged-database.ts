// A backup on its way to being a store: an embedded database of this program's schema, made out of whatever the backup is,
// under a name that no server opens. To be looked through, or to be put in a store's place.
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../cli/failure.ts";
import type { ShowProgress } from "../cli/progress.ts";
import type { BackupKind } from "../cli/reeve.ts";
import type { Database, WriteTx } from "../store/database.ts";
import { MIGRATIONS, applyMissing, makeDerived, migrate, requireKnownSchema } from "../store/migrations/migrate.ts";
import { listTables } from "../store/tables/inventory.ts";
import { isSqliteDamaged, openSqlite } from "../store/sqlite/sqlite.ts";
import type { Table } from "../store/tables/table.ts";
import { hasPlainDatabase, holdsDatabase, readContent } from "./archive-file.ts";
import { readArchive } from "./store-archive.ts";
import type { Rows } from "./store-archive.ts";
import { explainFile, withFile } from "./atomic-file.ts";

/** How far SQLite goes in what it lists of a damaged file. */
const FAULTS_SHOWN = 3;
const SQLITE_CONSTRAINT = 19;
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Gives `use` the archive in a file, from its beginning. */
export async function withArchive<T>(
  file: string,
  onProgress: ShowProgress,
  use: (rows: Rows) => Promise<T>,
): Promise<T> {
  return await withFile(file, async (readable) =>
    use(await readArchive(readContent(readable, file, onProgress), file)),
  );
}

/** The engine refuses a row: one like it is there, what it refers to is not, or a value is none of its column's. */
function isRefused(error: unknown): boolean {
  const { code, errcode = 0 } = error as { readonly code?: unknown; readonly errcode?: number };
  return errcode % 256 === SQLITE_CONSTRAINT || (typeof code === "string" && /^2[23]/.test(code));
}

/** Runs what the engine refuses when rows are not as they must be. */
async function refusing(table: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!isRefused(error)) throw error;
    const message = `a row of ${table} does not fit: ${(error as Error).message}`;
    throw new Failure("refused", message, "archive_damaged");
  }
}

interface Index {
  readonly name: string;
  /** What makes it. */
  readonly sql: string;
}

/** The indexes of the schema's tables, beside those of their keys. */
async function listIndexes(tx: WriteTx, tables: readonly Table[]): Promise<readonly Index[]> {
  const names = tables.map(({ name }) => `'${name}'`).join(", ");
  const rows = await tx.query(
    tx.engine === "sqlite"
      ? `select name, sql from sqlite_schema where type = 'index' and sql is not null and tbl_name in (${names})`
      : `select indexname as name, indexdef as sql from pg_indexes where schemaname = current_schema()
          and tablename in (${names}) and indexname not in (select conname from pg_constraint)`,
  );
  return rows.map((row) => ({ name: String(row["name"]), sql: String(row["sql"]) }));
}

/** Puts rows into a store that has no tables, and brings that to this program's schema; answers how many. */
export async function fillStore(tx: WriteTx, { schemaVersion, batches }: Rows, now: number): Promise<number> {
  const known = MIGRATIONS.slice(0, schemaVersion);
  await applyMissing(tx, now, known, false);
  const tables = listTables(schemaVersion);
  // What migrations put there is among the rows.
  for (const { name } of tables.toReversed()) await tx.exec(`delete from ${name}`);
  // To make an index of all rows at once takes a fraction of adding them to it one by one.
  const indexes = await listIndexes(tx, tables);
  for (const { name } of indexes) await tx.exec(`drop index ${name}`);
  let count = 0;
  for await (const { table, rows } of batches) {
    await refusing(table.name, () => tx.insertRows(table, rows));
    count += rows.length;
  }
  for (const { name, sql } of indexes) {
    await refusing(`the index ${name}`, () => tx.exec(sql));
  }
  await makeDerived(tx, known);
  await applyMissing(tx, now, MIGRATIONS);
  return count;
}

function damaged(file: string, what: string): Failure {
  return new Failure("refused", `${file} is damaged: ${what}`, "archive_damaged");
}

/** Throws when a copy is not sound. */
async function requireSound({ admin }: Database, file: string): Promise<void> {
  const checks = await admin.query(`pragma integrity_check(${FAULTS_SHOWN})`);
  const faults = checks.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
  if (faults.length > 0) throw damaged(file, faults.join("; "));
}

/** Throws when rows refer to others that are not there. */
async function requireComplete({ admin }: Database, file: string): Promise<void> {
  const [lost] = await admin.query("pragma foreign_key_check");
  if (lost)
    throw damaged(
      file,
      `a row of ${String(lost["table"])} refers to one of ${String(lost["parent"])} that is not there`,
    );
}

async function importInto(path: string, file: string, onProgress: ShowProgress, now: number): Promise<number> {
  const database = openSqlite(path, "draft");
  try {
    // It is checked when it is whole.
    await database.admin.exec("pragma foreign_keys = off");
    // However many rows there are, memory stays within the cache: what is sorted for indexes goes to files.
    await database.admin.exec("pragma temp_store = file; pragma cache_size = -65536");
    return await withArchive(file, onProgress, async (rows) => {
      await database.transaction((tx) => fillStore(tx, rows, now));
      return rows.schemaVersion;
    });
  } finally {
    await database.close();
  }
}

/** Opens a database, with its log where that lies beside it, as in a copy of a whole data directory. */
function openCopy(file: string): Database {
  return openSqlite(file, existsSync(`${file}-wal`) ? "read" : "still");
}

async function copyInto(path: string, file: string, onProgress: ShowProgress): Promise<number> {
  const isPlain = await withFile(file, hasPlainDatabase);
  if (!isPlain) {
    await withFile(file, async (readable) => {
      await using handle = await open(path, "w");
      await handle.writeFile(readContent(readable, file, onProgress));
    });
  }
  const source = openCopy(isPlain ? file : path);
  try {
    const schemaVersion = await requireKnownSchema(source, `${file} holds no store of Reeve's`);
    if (isPlain) await source.copyTo?.(path, onProgress);
    return schemaVersion;
  } finally {
    await source.close();
  }
}

export interface StagedDatabase {
  readonly path: string;
  readonly kind: BackupKind;
  /** The schema that the backup is of; the candidate is of this program's. */
  readonly schemaVersion: number;
}

async function make(path: string, file: string, onProgress: ShowProgress, now: number): Promise<StagedDatabase> {
  const kind = (await holdsDatabase(file)) ? "database" : "archive";
  // A database to begin with, so that its owner alone may read it.
  await (await open(path, "wx", 0o600)).close();
  const schemaVersion =
    kind === "archive" ? await importInto(path, file, onProgress, now) : await copyInto(path, file, onProgress);
  // A log would be written back when it is closed, which fails without a word where there is no room.
  const database = openSqlite(path, "draft");
  try {
    await migrate(database, null, now);
    // What was made of rows just now is sound by itself.
    if (kind === "database") await requireSound(database, file);
    await requireComplete(database, file);
  } finally {
    await database.close();
  }
  await using handle = await open(path, "r");
  await handle.sync();
  return { path, kind, schemaVersion };
}

/** Gives `use` the candidate of a backup, at `path`; what is still there afterwards is removed. */
export async function withStagedDatabase<T>(
  path: string,
  file: string,
  onProgress: ShowProgress,
  now: number,
  use: (candidate: StagedDatabase) => Promise<T>,
): Promise<T> {
  try {
    let candidate: StagedDatabase;
    try {
      candidate = await make(path, file, onProgress, now);
    } catch (error) {
      // It is the backup that is damaged, and not the store.
      throw isSqliteDamaged(error) ? damaged(file, (error as Error).message) : explainFile(error, "write", path);
    }
    return await use(candidate);
  } finally {
    for (const ending of ["", "-journal", "-wal", "-shm"]) await rm(`${path}${ending}`, { force: true });
  }
}

async function makeFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), "reeve-restore-"));
  } catch (error) {
    throw explainFile(error, "write", tmpdir());
  }
}

/**
 * Gives `use` a folder for temporary files as large as the store, and removes it afterwards. A signal is heard between two
 * turns of the event loop, removes the folder and then does what it would have done. Throws a Failure when no folder can
 * be made.
 */
async function withTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeFolder();
  function end(signal: NodeJS.Signals): void {
    for (const name of END_SIGNALS) process.off(name, end);
    rmSync(folder, { recursive: true, force: true });
    process.kill(process.pid, signal);
  }
  for (const name of END_SIGNALS) process.on(name, end);
  try {
    return await use(folder);
  } finally {
    for (const name of END_SIGNALS) process.off(name, end);
    await rm(folder, { recursive: true, force: true });
  }
}

/** The same in a folder for temporary files. */
export async function withTemporaryStagedDatabase<T>(
  file: string,
  onProgress: ShowProgress,
  now: number,
  use: (candidate: StagedDatabase) => Promise<T>,
): Promise<T> {
  return await withTemporaryFolder((folder) =>
    withStagedDatabase(join(folder, "reeve.db"), file, onProgress, now, use),
  );
}
