// Brings a database to this program's schema by numbered migrations. All missing ones run in one transaction under a lock, so that
// several processes can start at once. An existing SQLite file is copied first.
import { mkdirSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "../../kernel/tx.ts";
import { StoreError } from "../database.ts";
import type { Admin, CopyDatabase, Database, WriteTx } from "../database.ts";
import type { Dialect, Migration } from "./migration.ts";
import { MIGRATIONS } from "./migrations.ts";
import { openSqlite, sortInFiles } from "../sqlite/sqlite.ts";
import { nameUnfinished } from "../sqlite/temporary-files.ts";
import { watchLocks } from "./lock-wait.ts";

const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  sqlite: {
    text: "text",
    big: "integer",
    bytes: "blob",
    clustered: "without rowid",
  },
  postgres: {
    text: 'text collate "C"',
    big: "bigint",
    bytes: "bytea",
    clustered: "",
  },
};

/** The schema version that migrations lead to. */
function versionAfter(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.version ?? 0;
}

/** The migrations that lead to a schema version. */
export function migrationsUpTo(schemaVersion: number): readonly Migration[] {
  return MIGRATIONS.filter(({ version }) => version <= schemaVersion);
}

/** The schema version that this program works with. */
export const SCHEMA_VERSION = versionAfter(MIGRATIONS);

// Any fixed number will do: it identifies the lock among the advisory locks of the database.
const MIGRATION_LOCK = 7_330_833;

const CREATE_LOG =
  "create table if not exists schema_migrations (version integer primary key, name text not null, applied_at bigint not null)";

/** A database, or a transaction in it. */
export interface Queried {
  readonly engine: Engine;
  readonly admin: Pick<Admin, "query">;
}

/** Version of the database's schema; 0 when it is empty. */
export async function readSchemaVersion(db: Queried): Promise<number> {
  const [log] = await db.admin.query(
    db.engine === "sqlite"
      ? "select 1 from sqlite_schema where name = 'schema_migrations'"
      : // Not information_schema, which hides what the role may not use.
        "select 1 from pg_class join pg_namespace n on n.oid = relnamespace where nspname = current_schema() and relname = 'schema_migrations'",
  );
  if (!log) return 0;
  const [row] = await db.admin.query("select max(version) as version from schema_migrations");
  return Number(row?.["version"] ?? 0);
}

/** Null for the schema that this program works with. */
export function describeOtherSchema(version: number): string | null {
  if (version === SCHEMA_VERSION) return null;
  return `the database has schema version ${version}, this Reeve works with ${SCHEMA_VERSION}`;
}

const BESIDE = / \(beside (\d+)\)$/;

/** The name of a migration in the store: older processes read there whether they can go on beside it. */
function storedName({ name, oldestBeside }: Migration): string {
  return oldestBeside === undefined ? name : `${name} (beside ${oldestBeside})`;
}

/** Whether this process can go on after a newer one has applied these migrations, by their names in the store. */
export function canGoOnBeside(storedNames: readonly string[]): boolean {
  return storedNames.every((name) => Number(BESIDE.exec(name)?.[1] ?? Infinity) <= SCHEMA_VERSION);
}

export interface MigrationReport {
  readonly from: number;
  readonly to: number;
  /** The path of the copy of the SQLite file, if one was made. */
  readonly copy: string | null;
}

function refuseNewer(version: number, known: number): void {
  if (version > known) {
    throw new StoreError(
      `the database has schema version ${version}, this Reeve knows up to ${known}: start the newer Reeve that wrote it`,
    );
  }
}

/** Refuses a database of an unknown schema; `missing` is the message for a database without any. */
export async function requireKnownSchema(db: Queried, missing: string): Promise<number> {
  const version = await readSchemaVersion(db);
  if (version === 0) throw new StoreError(missing);
  refuseNewer(version, SCHEMA_VERSION);
  return version;
}

/** Refuses a database that is not of exactly this schema. */
export async function requireCurrentSchema(db: Queried, missing: string): Promise<void> {
  const version = await requireKnownSchema(db, missing);
  if (version < SCHEMA_VERSION) {
    throw new StoreError(`${describeOtherSchema(version)}: run \`reeve migrate\`, or start this version's server`);
  }
}

const LOOK_MS = 1_000;

/** Waits until the schema is this one; `onWait` learns once why. Throws when a newer one is there, and when the signal aborts. */
export async function awaitCurrentSchema(
  db: Queried,
  missing: string,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: (reason: string) => void },
): Promise<void> {
  for (let looks = 0; ; looks++) {
    const version = await readSchemaVersion(db);
    refuseNewer(version, SCHEMA_VERSION);
    if (version === SCHEMA_VERSION) return;
    if (looks === 0) onWait(version === 0 ? missing : (describeOtherSchema(version) as string));
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** What a migration tells while it runs. */
export interface MigrationNotices {
  /** The progress of the copy. */
  readonly onProgress?: (done: number, total: number) => void;
  /** It waits for a lock; the text names the sessions that hold it. */
  readonly onWait?: (holders: string) => void;
  /** A migration of a database that has data begins, or after `quietMs` of one its next part. */
  readonly onMigration?: (step: MigrationStep) => void;
  /** All migrations of a database that has data were applied, and their transaction is committed. That may take as long as they did. */
  readonly onCommit?: () => void;
  readonly quietMs?: number;
}

export interface MigrationStep {
  readonly version: number;
  readonly name: string;
  /** The version to which all lead. */
  readonly to: number;
  readonly part: number;
  readonly parts: number;
}

const QUIET_MS = 5_000;

/** Applies the missing migrations, all or none. `file` is the SQLite file to copy first, or null. */
export async function migrate(
  db: Database,
  file: string | null,
  now: number,
  migrations: readonly Migration[] = MIGRATIONS,
  { onProgress = () => undefined, onWait = () => undefined, onCommit, ...notices }: MigrationNotices = {},
): Promise<MigrationReport> {
  const from = await readSchemaVersion(db);
  const to = versionAfter(migrations);
  refuseNewer(from, to);
  if (from === to) return { from, to, copy: null };
  const copy = file !== null && db.copyTo && from > 0 ? await copyBefore(db.copyTo, file, from, onProgress) : null;
  if (db.engine === "sqlite") await sortInFiles(db.admin);
  await db.transaction(async (tx) => {
    await watchLocks(db, tx, onWait, () => applyMissing(tx, now, migrations, notices));
    if (from > 0) onCommit?.();
  });
  return { from, to, copy };
}

async function readCopiedVersion(file: string): Promise<number> {
  const copy = openSqlite(file, "still");
  try {
    return await readSchemaVersion(copy);
  } finally {
    await copy.close();
  }
}

async function copyBefore(
  copyTo: CopyDatabase,
  file: string,
  version: number,
  onProgress: (done: number, total: number) => void,
): Promise<string> {
  const folder = join(dirname(file), "copies");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, `before-schema-${version + 1}.db`);
  // The copy has a temporary name until it is complete, so that a killed start leaves nothing that looks like a copy.
  const unfinished = await nameUnfinished(copy);
  try {
    await copyTo(unfinished, onProgress);
    // An existing copy may be of an earlier upgrade that was rolled back: replace it. But if another process that starts at the
    // same time has migrated the store already, that process has made the right copy, and this one has a newer schema: discard
    // it.
    if ((await readCopiedVersion(unfinished)) === version) await rename(unfinished, copy);
  } finally {
    await rm(unfinished, { force: true });
  }
  return copy;
}

/** Lets one process at a time change the schema: the next one begins when the transaction of the previous one has ended. */
export async function lockMigrations(tx: WriteTx): Promise<void> {
  if (tx.engine !== "postgres") return;
  // No time limit: migrating a large table may take long, also in another process that this one waits for.
  await tx.exec("set local statement_timeout = 0; set local lock_timeout = 0");
  await tx.exec(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
}

/** Locks out readers of whole tables of a PostgreSQL store until the transaction ends, and waits for present ones. */
export async function lockSchema(tx: WriteTx): Promise<void> {
  await tx.exec("lock table schema_migrations in access exclusive mode");
}

/** The statements of a migration that make its tables on an engine. */
export function statementsOf(migration: Migration, engine: Engine): readonly string[] {
  return migration.statements(DIALECTS[engine]);
}

/** The SQLSTATEs of a name that is taken: PostgreSQL's messages are translated. */
const NAME_TAKEN: ReadonlySet<string> = new Set(["42P07", "42710"]);

/** Runs a statement of the schema; an existing table belongs to another program. */
async function execPart(tx: WriteTx, statement: string): Promise<void> {
  try {
    await tx.exec(statement);
  } catch (error) {
    const { message, code = "" } = error as Error & { readonly code?: string };
    // SQLite has no code for it.
    if (!(tx.engine === "sqlite" ? message.endsWith(" already exists") : NAME_TAKEN.has(code))) throw error;
    throw new StoreError(`cannot make the schema: ${message}: Reeve needs a database of its own`, { cause: error });
  }
}

/**
 * Makes what an engine derives from the rows of a schema. A restore calls it after it has filled the tables, because keeping it up
 * to date row by row takes many times as long.
 */
export async function makeDerived(tx: WriteTx, migrations: readonly Migration[]): Promise<void> {
  for (const { derived } of migrations) {
    for (const statement of derived?.(tx.engine) ?? []) await execPart(tx, statement);
  }
}

/** What a migration does, one after another. */
function partsOf(migration: Migration, tx: WriteTx, isDerived: boolean): readonly (() => Promise<void>)[] {
  const run = (statements: readonly string[]) => statements.map((statement) => () => execPart(tx, statement));
  return [
    ...run(statementsOf(migration, tx.engine)),
    ...(migration.fill ? [async () => await migration.fill?.(tx)] : []),
    ...run(isDerived ? (migration.derived?.(tx.engine) ?? []) : []),
  ];
}

/** Applies the missing migrations in the caller's transaction; without derived parts where `isDerived` is false. */
export async function applyMissing(
  tx: WriteTx,
  now: number,
  migrations: readonly Migration[],
  {
    isDerived = true,
    onMigration,
    quietMs = QUIET_MS,
  }: { isDerived?: boolean } & Pick<MigrationNotices, "onMigration" | "quietMs"> = {},
): Promise<void> {
  await lockMigrations(tx);
  await tx.exec(CREATE_LOG);
  // Read again under the lock: another process may have migrated meanwhile.
  const [row] = await tx.query("select max(version) as version from schema_migrations");
  const current = Number(row?.["version"] ?? 0);
  const to = versionAfter(migrations);
  refuseNewer(current, to);
  let toldAt = 0;
  for (const migration of migrations.filter((one) => one.version > current)) {
    const { version, name } = migration;
    const parts = partsOf(migration, tx, isDerived);
    const tell = (part: number) => {
      toldAt = performance.now();
      if (current > 0) onMigration?.({ version, name, to, part, parts: parts.length });
    };
    tell(1);
    for (const [at, run] of parts.entries()) {
      if (at > 0 && performance.now() - toldAt >= quietMs) tell(at + 1);
      await run();
    }
    await tx.exec(
      `insert into schema_migrations (version, name, applied_at) values (${version}, '${storedName(migration)}', ${now})`,
    );
  }
}
