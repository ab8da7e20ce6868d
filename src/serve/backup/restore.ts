// `reeve restore` and `reeve import`: make a backup the store, all of it or nothing. The embedded store is built beside the
// existing one and replaces it at the end; on PostgreSQL everything is one transaction.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describeData, sqliteFile } from "../config/data-paths.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { BackupKind } from "./staged-database.ts";
import type { Revived } from "./revived-credentials.ts";
import type { Settings } from "../config/config.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { missingKeys, neededKeys } from "../master-keys/key-use.ts";
import { StoreError } from "../../platform/store/database.ts";
import type { Admin, Database, SnapshotTx, WriteTx } from "../../platform/store/database.ts";
import { listTables } from "../../platform/store/tables/inventory.ts";
import {
  SCHEMA_VERSION,
  lockMigrations,
  lockSchema,
  readSchemaVersion,
  requireKnownSchema,
} from "../../platform/store/migrations/migrate.ts";
import { watchLocks } from "../../platform/store/migrations/lock-wait.ts";
import { inspectExclusively, replaceDatabase } from "../../platform/store/sqlite/replacement.ts";
import { openSqlite } from "../../platform/store/sqlite/sqlite.ts";
import { nameUnfinished } from "../../platform/store/sqlite/temporary-files.ts";
import { holdsDatabase } from "./archive-file.ts";
import type { Batch, Rows } from "./store-archive.ts";
import { openDatabase } from "../open-database.ts";
import { countRows } from "./backup.ts";
import { countRevived, endCredentials } from "./revived-credentials.ts";
import { fillStore, withArchive, withStagedDatabase, withTemporaryStagedDatabase } from "./staged-database.ts";
import { vacuumStore } from "./vacuum.ts";
import { findKeyring } from "../master-keys/start-keyring.ts";

export interface RestoreRequest {
  readonly file: string;
  /** Replaces an existing store. */
  readonly replace: boolean;
  /** Ends all credentials, sessions, codes, trust rules and webhooks of the backup. */
  readonly endCredentials: boolean;
  /** The accepted kinds of file. */
  readonly kinds: readonly BackupKind[];
}

export interface Restored {
  readonly file: string;
  readonly kind: BackupKind;
  readonly rows: number;
  /** The file of the former embedded store. */
  readonly replaced: string | null;
  /** Ids of the master keys that the store needs and this machine lacks. */
  readonly missingKeys: readonly string[];
  readonly revived: Revived;
  readonly data: string;
  /** Why the tables on PostgreSQL could not be vacuumed afterwards; null: they were, or there was no need. */
  readonly vacuumFailure: string | null;
}

const SESSION_END_MS = 4_000;
const PAUSE_MS = 50;

type Outcome = Pick<Restored, "kind" | "rows" | "missingKeys" | "replaced" | "revived">;

interface Restoring {
  readonly settings: Settings;
  readonly request: RestoreRequest;
  readonly onProgress: ShowProgress;
  readonly onWait: (holders: string) => void;
  readonly now: number;
}

/** Whether a store has data: `reeve migrate` leaves one row in owners, the first start more. */
async function isOccupied(tx: Pick<WriteTx, "engine" | "query" | "exec">): Promise<boolean> {
  if ((await readSchemaVersion({ engine: tx.engine, admin: tx })) === 0) return false;
  return (await tx.query("select 1 from owners limit 2")).length > 1;
}

function refuseOccupied(settings: Settings): Failure {
  const what = `there is a store in ${describeData(settings)} already`;
  return new Failure("conflict", `${what}; --replace puts the backup in its place`, "store_exists");
}

async function listMissing(settings: Settings, tx: Tx): Promise<readonly string[]> {
  const keyring = findKeyring(settings);
  return keyring ? await missingKeys(tx, keyring) : await neededKeys(tx);
}

/** A path for the former store, in the folder that migrations copy into. */
function nameKept({ dataDir }: Settings, now: number): string {
  return join(dataDir, "copies", `before-restore-${new Date(now).toISOString().replaceAll(":", "-")}.db`);
}

/** Ends the credentials of a restored store where that is asked for, and counts those that work. */
async function settleCredentials(
  tx: Admin,
  { endCredentials: isEnding }: RestoreRequest,
  now: number,
): Promise<Revived> {
  if (isEnding) await endCredentials(tx, now);
  const revived = await countRevived(tx, now);
  // Those that work then have codes that nobody knows yet.
  return isEnding ? { ...revived, joinLinks: 0 } : revived;
}

async function settleCredentialsOf(path: string, request: RestoreRequest, now: number): Promise<Revived> {
  const staged = openSqlite(path, "draft");
  try {
    return await staged.transaction((tx) => settleCredentials(tx, request, now));
  } finally {
    await staged.close();
  }
}

async function restoreFile({ settings, request, onProgress, now }: Restoring): Promise<Outcome> {
  const file = sqliteFile(settings);
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });

  /** The path to keep the existing store under; null when it has no data. */
  async function decide(tx: WriteTx | null): Promise<string | null> {
    // An unreadable file is a damaged store and is kept too.
    if (tx && !(await isOccupied(tx))) return null;
    if (!request.replace) throw refuseOccupied(settings);
    return nameKept(settings, now);
  }
  // Checked before the long work and again on replacement: the store may have got data meanwhile.
  await inspectExclusively(file, decide);
  const path = await nameUnfinished(file);
  return await withStagedDatabase(path, request.file, onProgress, now, async ({ kind }) => {
    const revived = await settleCredentialsOf(path, request, now);
    const replaced = await replaceDatabase(path, file, decide);
    const database = openSqlite(file, "still");
    try {
      const rows = await database.snapshot((tx) => countRows(tx, SCHEMA_VERSION));
      return { kind, rows, replaced, revived, missingKeys: await listMissing(settings, database.reader) };
    } finally {
      await database.close();
    }
  });
}

async function isInUse(admin: Pick<Admin, "query">): Promise<boolean> {
  const [others] = await admin.query(
    `select count(*) as n from pg_stat_activity
      where datname = current_database() and application_name in ('reeve', 'reeve-2') and pid <> pg_backend_pid()`,
  );
  return Number(others?.["n"]) > 0;
}

function refuseUsed(settings: Settings): StoreError {
  return new StoreError(`the store in ${describeData(settings)} is in use: stop its servers, workers and commands`);
}

/** Runs outside a transaction, which would see the sessions of its first statement only. */
async function awaitUnused({ admin }: Database, settings: Settings): Promise<void> {
  // A session may end shortly after its process.
  for (const endsAt = performance.now() + SESSION_END_MS; await isInUse(admin); await setTimeout(PAUSE_MS)) {
    if (performance.now() >= endsAt) throw refuseUsed(settings);
  }
}

/** Refuses a PostgreSQL database that is in use or has data; returns its schema version. */
async function requireRoom(tx: WriteTx, { settings, request }: Restoring): Promise<number> {
  await lockMigrations(tx);
  if (await isInUse(tx)) throw refuseUsed(settings);
  const store = { engine: tx.engine, admin: tx };
  if ((await readSchemaVersion(store)) === 0) return 0;
  if (!request.replace && (await isOccupied(tx))) throw refuseOccupied(settings);
  // The tables of a newer schema are unknown here, so they cannot be removed.
  return await requireKnownSchema(store, "");
}

/** Drops the tables of a store, in the transaction that fills the database, as soon as nobody reads them any more. */
async function makeRoom(database: Database, tx: WriteTx, restoring: Restoring): Promise<void> {
  // A statement may take long here, and so may reading the file between two of them.
  await tx.exec("set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0");
  const version = await requireRoom(tx, restoring);
  // Without a store, tables of these names belong to somebody else.
  if (version === 0) return;
  const names = listTables(version).map(({ name }) => name);
  await watchLocks(database, tx, restoring.onWait, async () => {
    await lockSchema(tx);
    await tx.exec(`drop table ${[...names, "schema_migrations"].join(", ")}`);
  });
}

async function* readAll(tx: SnapshotTx): AsyncGenerator<Batch> {
  for (const table of listTables(SCHEMA_VERSION)) {
    for await (const rows of tx.readRows(table)) yield { table, rows };
  }
}

/** Opens the rows of a backup, from the beginning on each call. */
type OpenRows = <T>(use: (rows: Rows) => Promise<T>) => Promise<T>;

/** Passes `use` the rows of a backup. A database is migrated to this program's schema first. */
async function withRows<T>(
  { request, onProgress, now }: Restoring,
  use: (open: OpenRows, kind: BackupKind) => Promise<T>,
): Promise<T> {
  const { file } = request;
  if (!(await holdsDatabase(file))) return await use((read) => withArchive(file, onProgress, read), "archive");
  return await withTemporaryStagedDatabase(file, onProgress, now, async ({ path }) => {
    const database = openSqlite(path, "still");
    const open: OpenRows = (read) =>
      database.snapshot((tx) => read({ schemaVersion: SCHEMA_VERSION, batches: readAll(tx) }));
    try {
      return await use(open, "database");
    } finally {
      await database.close();
    }
  });
}

async function restoreRows(restoring: Restoring): Promise<Outcome> {
  const { settings, now } = restoring;
  const database = await openDatabase(settings);
  try {
    // Before anything that takes long.
    await awaitUnused(database, settings);
    await database.transaction((tx) => requireRoom(tx, restoring));
    return await withRows(restoring, async (open, kind) => {
      await awaitUnused(database, settings);
      return await database.transaction(async (tx) => {
        await makeRoom(database, tx, restoring);
        const rows = await open((source) => fillStore(tx, source, now));
        const revived = await settleCredentials(tx, restoring.request, now);
        return { kind, rows, replaced: null, revived, missingKeys: await listMissing(settings, tx) };
      });
    });
  } finally {
    await database.close();
  }
}

export async function restoreStore(
  settings: Settings,
  request: RestoreRequest,
  onProgress: ShowProgress,
  clock: Clock,
  onWait: Restoring["onWait"] = () => undefined,
): Promise<Restored> {
  const { file, kinds } = request;
  if (!kinds.includes("database") && (await holdsDatabase(file))) {
    throw new Failure("refused", `${file} is a database and no archive: \`reeve restore\` takes it`, "archive_format");
  }
  const restoring = { settings, request, onProgress, onWait, now: clock() };
  const { databaseUrl } = settings;
  const outcome = databaseUrl === null ? await restoreFile(restoring) : await restoreRows(restoring);
  // The store is whole without it.
  const vacuumFailure = databaseUrl === null ? null : await vacuumStore({ ...settings, databaseUrl });
  return { file, ...outcome, data: describeData(settings), vacuumFailure };
}
