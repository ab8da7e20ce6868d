// The staged database: an embedded database of this program's schema that is built from a backup, under a name that no server
// opens. It is then verified, or it replaces a store.
import { existsSync, rmSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { Database, WriteTx } from "../../platform/store/database.ts";
import {
  applyMissing,
  makeDerived,
  migrate,
  migrationsUpTo,
  requireKnownSchema,
} from "../../platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../platform/store/migrations/migrations.ts";
import { listTables } from "../../platform/store/tables/inventory.ts";
import { isSqliteDamaged, openSqlite, sortInFiles } from "../../platform/store/sqlite/sqlite.ts";
import type { Table } from "../../platform/store/tables/table.ts";
import { hasPlainDatabase, holdsDatabase, readContent } from "./archive-file.ts";
import { readArchive } from "./store-archive.ts";
import type { Rows } from "./store-archive.ts";
import { explainFile, withFile } from "./atomic-file.ts";

/** An archive holds lines that do not depend on the engine; a database is a copy of the embedded store. */
export type BackupKind = "archive" | "database";

/** The number of problems of a damaged file that SQLite lists. */
const PROBLEMS_SHOWN = 3;
const SQLITE_CONSTRAINT = 19;
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Passes `use` the archive in a file, from its beginning. */
export async function withArchive<T>(
  file: string,
  onProgress: ShowProgress,
  use: (rows: Rows) => Promise<T>,
): Promise<T> {
  return await withFile(file, async (readable) =>
    use(await readArchive(readContent(readable, file, onProgress), file)),
  );
}

/** Whether the engine refused a row: a duplicate, a missing reference, or a value that does not fit its column. */
function isRefused(error: unknown): boolean {
  const { code, errcode = 0 } = error as { readonly code?: unknown; readonly errcode?: number };
  return errcode % 256 === SQLITE_CONSTRAINT || (typeof code === "string" && /^2[23]/.test(code));
}

/** Runs `run`; throws a Failure that calls the file damaged if the engine refuses a row. */
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
  /** The statement that creates it. */
  readonly sql: string;
}

/** The secondary indexes of the schema's tables. */
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

/** Fills a store without tables and migrates it to this program's schema; returns the number of rows. */
export async function fillStore(tx: WriteTx, { schemaVersion, batches }: Rows, now: number): Promise<number> {
  const known = migrationsUpTo(schemaVersion);
  await applyMissing(tx, now, known, { isDerived: false });
  const tables = listTables(schemaVersion);
  // The rows include those that migrations insert.
  for (const { name } of tables.toReversed()) await tx.exec(`delete from ${name}`);
  // Building an index at the end takes a fraction of the time of updating it for each row.
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

/** Throws if a copy is damaged. */
async function requireSound({ admin }: Database, file: string): Promise<void> {
  const checks = await admin.query(`pragma integrity_check(${PROBLEMS_SHOWN})`);
  const problems = checks.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok");
  if (problems.length > 0) throw damaged(file, problems.join("; "));
}

/** Throws if a row refers to a missing one. */
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
    // References are checked once all rows are there.
    await database.admin.exec("pragma foreign_keys = off");
    // Keeps memory within the cache for any number of rows.
    await sortInFiles(database.admin);
    await database.admin.exec("pragma cache_size = -65536");
    return await withArchive(file, onProgress, async (rows) => {
      await database.transaction((tx) => fillStore(tx, rows, now));
      return rows.schemaVersion;
    });
  } finally {
    await database.close();
  }
}

/** Opens a database with the log beside it, if there is one, as in a copy of a whole data directory. */
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
  /** The schema version of the backup; the staged database has this program's. */
  readonly schemaVersion: number;
}

async function make(path: string, file: string, onProgress: ShowProgress, now: number): Promise<StagedDatabase> {
  const kind = (await holdsDatabase(file)) ? "database" : "archive";
  // Creates the file first, so that only its owner can read it.
  await (await open(path, "wx", 0o600)).close();
  const schemaVersion =
    kind === "archive" ? await importInto(path, file, onProgress, now) : await copyInto(path, file, onProgress);
  // A log would be written back on close, which fails silently on a full disk.
  const database = openSqlite(path, "draft");
  try {
    await migrate(database, null, now);
    // A database that was just built from rows needs no check.
    if (kind === "database") await requireSound(database, file);
    await requireComplete(database, file);
  } finally {
    await database.close();
  }
  await using handle = await open(path, "r");
  await handle.sync();
  return { path, kind, schemaVersion };
}

/** Passes `use` the staged database of a backup, at `path`; removes what is left of it afterwards. */
export async function withStagedDatabase<T>(
  path: string,
  file: string,
  onProgress: ShowProgress,
  now: number,
  use: (staged: StagedDatabase) => Promise<T>,
): Promise<T> {
  try {
    let staged: StagedDatabase;
    try {
      staged = await make(path, file, onProgress, now);
    } catch (error) {
      // The backup is damaged, not the store.
      throw isSqliteDamaged(error) ? damaged(file, (error as Error).message) : explainFile(error, "write", path);
    }
    return await use(staged);
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
 * Passes `use` a folder for temporary files as large as the store, and removes it afterwards. A signal is handled between
 * two turns of the event loop: the folder is removed, then the signal takes its default effect. Throws a Failure when no
 * folder can be created.
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

/** The same in a temporary folder. */
export async function withTemporaryStagedDatabase<T>(
  file: string,
  onProgress: ShowProgress,
  now: number,
  use: (staged: StagedDatabase) => Promise<T>,
): Promise<T> {
  return await withTemporaryFolder((folder) =>
    withStagedDatabase(join(folder, "reeve.db"), file, onProgress, now, use),
  );
}
