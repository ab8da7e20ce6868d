// Everything that a store has written, as bytes: what an attacker with its files sees.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Admin } from "../../src/platform/store/database.ts";
import { ENGINE } from "../harness/test-app.ts";

export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

const CHUNK_BYTES = 8 * 1024 * 1024;
/** Longer than any needle, so that each needle is whole in one of two chunks. */
const OVERLAP_BYTES = 4_096;
const INSUFFICIENT_PRIVILEGE = "42501";

/** Marks the present position in the log, to read later what was written since. */
export async function markPosition(store: Admin): Promise<string> {
  if (ENGINE === "sqlite") return "";
  const [row] = await store.query("select pg_walfile_name(pg_current_wal_lsn()) as segment");
  return row?.["segment"] as string;
}

/** Every row of every table as text. */
export async function readRows(store: Admin): Promise<Place[]> {
  const tables = await store.query(
    ENGINE === "sqlite"
      ? "select name from sqlite_schema where type = 'table'"
      : "select tablename as name from pg_tables where schemaname = current_schema()",
  );
  const places: Place[] = [];
  for (const { name } of tables as { name: string }[]) {
    const rows = await store.query(ENGINE === "sqlite" ? `select * from ${name}` : `select t::text from ${name} t`);
    const text = rows
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value)))
      .join("\n");
    places.push({ name: `rows of ${name}`, bytes: Buffer.from(text) });
  }
  return places;
}

/** The files of the data directory: the database, its write-ahead log with the index, and copies. */
async function readSqliteFiles(store: Admin): Promise<Place[]> {
  // Checkpoints the write-ahead log into the database, which may have been empty until now; the log stays as it is.
  await store.exec("pragma wal_checkpoint(passive)");
  const [main] = await store.query("pragma database_list");
  const folder = dirname(main?.["file"] as string);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => ({ name, bytes: readFileSync(join(parentPath, name)) }));
}

async function readServerFile(store: Admin, path: string): Promise<Place[]> {
  const places: Place[] = [];
  for (let offset = 0; ; offset += CHUNK_BYTES) {
    const [row] = await store.query("select pg_read_binary_file($1, $2, $3, true) as bytes", [
      path,
      offset,
      CHUNK_BYTES + OVERLAP_BYTES,
    ]);
    const bytes = row?.["bytes"] as Buffer | null;
    if (bytes && bytes.length > 0) places.push({ name: path, bytes });
    if (!bytes || bytes.length <= CHUNK_BYTES) return places;
  }
}

/** The files of this database (heaps, TOAST, indexes, catalogues), and the write-ahead log since a position. */
async function readPostgresFiles(store: Admin, since: string): Promise<Place[]> {
  try {
    await store.query("checkpoint");
    const heap = await store.query(
      `select folder || '/' || pg_ls_dir(folder) as path
        from (select 'base/' || oid as folder from pg_database where datname = current_database()) f`,
    );
    const log = await store.query("select 'pg_wal/' || name as path from pg_ls_waldir() where name >= $1", [since]);
    const places: Place[] = [];
    for (const { path } of [...heap, ...log]) places.push(...(await readServerFile(store, path as string)));
    return places;
  } catch (error) {
    if ((error as { code?: string }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    throw new Error(
      `the role in REEVE_TEST_DATABASE_URL may not read the server's files (${(error as Error).message}): this test ` +
        "looks into them, so the role has to be a superuser",
      { cause: error },
    );
  }
}

export async function readFiles(store: Admin, since: string): Promise<Place[]> {
  return ENGINE === "sqlite" ? await readSqliteFiles(store) : await readPostgresFiles(store, since);
}
