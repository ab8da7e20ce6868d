// `reeve backup` and `reeve export`: write one snapshot of the whole store to a file, beside running servers. A backup of the
// embedded store is a copy of its file; an archive is independent of the engine.
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { resolve } from "node:path";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { Settings } from "../config/config.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { CopyDatabase, Database, SnapshotTx } from "../../platform/store/database.ts";
import { listTables } from "../../platform/store/tables/inventory.ts";
import { requireKnownSchema } from "../../platform/store/migrations/migrate.ts";
import { openSqlite } from "../../platform/store/sqlite/sqlite.ts";
import { VERSION } from "../../platform/kernel/version.ts";
import { isCompressed, measureFile, writeContent } from "./archive-file.ts";
import { writeArchive } from "./store-archive.ts";
import type { ArchiveEnd } from "./store-archive.ts";
import { withExistingDatabase } from "../open-database.ts";
import { writeAtomically } from "./atomic-file.ts";
import type { BackupKind } from "./staged-database.ts";

export interface BackupRequest {
  /** Compressed if its name ends in .gz or .zst; null: a file in the current folder, named by the time. */
  readonly file: string | null;
  /** Replaces an existing file. */
  readonly force: boolean;
}

export interface BackupMade {
  readonly file: string;
  readonly kind: BackupKind;
  readonly schemaVersion: number;
  readonly rows: number;
  readonly bytes: number;
  /** Of the file. */
  readonly sha256: string;
  /** Of an archive: a hash of its content, independent of the engine and of the time. */
  readonly content: string | null;
  /** Ids of the master keys that its sealed values need. */
  readonly masterKeys: readonly string[];
}

/** In the current folder: a backup should not be in the data directory. */
function nameFile(now: number, ending: string): string {
  return resolve(
    `reeve-${new Date(now)
      .toISOString()
      .replaceAll(":", "-")
      .replace(/\.\d+Z$/, "Z")}${ending}`,
  );
}

/** The number of rows: exact on the embedded store, the planner's estimate on PostgreSQL. */
export async function countRows(tx: SnapshotTx, schemaVersion: number): Promise<number> {
  const names = listTables(schemaVersion).map(({ name }) => name);
  const counts =
    tx.engine === "sqlite"
      ? names.map((name) => `(select count(*) from ${name})`)
      : names.map((name) => `(select greatest(reltuples, 0)::bigint from pg_class where oid = '${name}'::regclass)`);
  const [row] = await tx.query(`select ${counts.join(" + ")} as rows`);
  return Number(row?.["rows"]);
}

/** Ids of the master keys that the sealed values need; works on a store of any schema version. */
async function listMasterKeys(tx: SnapshotTx, schemaVersion: number): Promise<readonly string[]> {
  const ids = new Set<string>();
  for (const { name, columns } of listTables(schemaVersion)) {
    if (!columns.some((column) => column.name === "key_id")) continue;
    for (const row of await tx.query(`select distinct key_id from ${name}`)) ids.add(String(row["key_id"]));
  }
  return [...ids];
}

type Written = Pick<BackupMade, "schemaVersion" | "rows" | "masterKeys" | "content">;

/** Opens the store for reading; its schema may be an older one. */
async function withStore<T>(settings: Settings, work: (database: Database) => Promise<T>): Promise<T> {
  return await withExistingDatabase(settings, work, { mode: "read", requireSchema: requireKnownSchema });
}

/** The schema version of the snapshot: another process may be upgrading the store. */
async function readKnownVersion(tx: SnapshotTx): Promise<number> {
  return await requireKnownSchema({ engine: tx.engine, admin: tx }, "the store is gone");
}

async function describe(file: string, kind: BackupMade["kind"], written: Written): Promise<BackupMade> {
  return { file, kind, ...written, ...(await measureFile(file)) };
}

async function writeExport(
  database: Database,
  { file: named, force }: BackupRequest,
  onProgress: ShowProgress,
  now: number,
): Promise<BackupMade> {
  const file = named ?? nameFile(now, ".ndjson.zst");
  const write = async (tx: SnapshotTx, handle: FileHandle): Promise<Written> => {
    const schemaVersion = await readKnownVersion(tx);
    const total = await countRows(tx, schemaVersion);
    const onRows = (rows: number) => onProgress(Math.min(rows, total), total);
    const ends: ArchiveEnd[] = [];
    const header = { schemaVersion, exportedAt: now, engine: tx.engine, reeve: VERSION };
    await writeContent(
      handle,
      file,
      writeArchive(tx, header, onRows, (end) => ends.push(end)),
    );
    const { rows, sha256: content } = ends[0] as ArchiveEnd;
    return { schemaVersion, rows, content, masterKeys: await listMasterKeys(tx, schemaVersion) };
  };
  const written = await writeAtomically(file, force, (handle) => database.snapshot((tx) => write(tx, handle)));
  return await describe(file, "archive", written);
}

/** Describes a copy by reading it, which also proves that it can be read. */
async function readCopy(file: string): Promise<Written> {
  const copy = openSqlite(file, "still");
  try {
    return await copy.snapshot(async (tx) => {
      const schemaVersion = await readKnownVersion(tx);
      return {
        schemaVersion,
        rows: await countRows(tx, schemaVersion),
        content: null,
        masterKeys: await listMasterKeys(tx, schemaVersion),
      };
    });
  } finally {
    await copy.close();
  }
}

async function copyStore(
  copyTo: CopyDatabase,
  { file: named, force }: BackupRequest,
  onProgress: ShowProgress,
  now: number,
): Promise<BackupMade> {
  const file = named ?? nameFile(now, ".db");
  const written = await writeAtomically(file, force, async (handle, unfinished) => {
    // A compressed backup needs the copy as a temporary file beside it.
    const plain = isCompressed(file) ? `${unfinished}-plain` : unfinished;
    try {
      await copyTo(plain, onProgress);
      if (plain !== unfinished) await writeContent(handle, file, createReadStream(plain));
      return await readCopy(plain);
    } finally {
      if (plain !== unfinished) await rm(plain, { force: true });
    }
  });
  return await describe(file, "database", written);
}

export async function exportStore(
  settings: Settings,
  request: BackupRequest,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<BackupMade> {
  return await withStore(settings, (database) => writeExport(database, request, onProgress, clock()));
}

export async function backUpStore(
  settings: Settings,
  request: BackupRequest,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<BackupMade> {
  return await withStore(settings, (database) =>
    database.copyTo
      ? copyStore(database.copyTo, request, onProgress, clock())
      : writeExport(database, request, onProgress, clock()),
  );
}
