// Brings the store up to date before it is served: the schema, the master keys, and the mode of the data directory.
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import type { FastifyBaseLogger } from "fastify";
import { openDatabase } from "./open-database.ts";
import { prepareKeyring } from "./master-keys/start-keyring.ts";
import type { PreparedKeyring } from "./master-keys/start-keyring.ts";
import type { Settings } from "./config/config.ts";
import { describeData, keySources, sqliteFile } from "./config/data-paths.ts";
import type { Clock } from "../platform/kernel/scheduling/clock.ts";
import { openKeyring } from "../platform/keyring/keyring.ts";
import { StoreError } from "../platform/store/database.ts";
import type { Database } from "../platform/store/database.ts";
import type { StoreMeter } from "../platform/store/meter.ts";
import { migrate } from "../platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../platform/store/migrations/migrations.ts";
import type { MigrationNotices, MigrationReport } from "../platform/store/migrations/migrate.ts";
import { requireWritableServer } from "../platform/store/postgres/roles.ts";
import { requireWritable } from "../platform/store/sqlite/file.ts";

const OWNER_ONLY = 0o700;
const OTHERS_MASK = 0o077;
/** Reeve's own files and folders, and what a fresh volume holds. */
const OWN = /^(?:reeve\.db.*|master\.key.*|copies|lost\+found)$/;

/**
 * Refuses a database that can't be written, and one that is lost. A start creates the database before the master key, so a key
 * without a database means that a volume or a file is missing; a new instance would be mistaken for the real one.
 */
function refuseUnusableFile(settings: Settings): void {
  if (settings.databaseUrl !== null) return;
  const file = sqliteFile(settings);
  requireWritable(file);
  const { ownFile } = keySources(settings);
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 || !existsSync(ownFile)) return;
  throw new StoreError(
    `there is a master key in ${settings.dataDir} and no database: put reeve.db back from your backup, or take ${ownFile} away to begin anew`,
  );
}

async function migrateDatabase(
  settings: Settings,
  database: Database,
  now: number,
  notices: MigrationNotices,
): Promise<MigrationReport> {
  const file = settings.databaseUrl === null ? sqliteFile(settings) : null;
  await requireWritableServer(database);
  return await migrate(database, file, now, MIGRATIONS, notices);
}

export interface Migration extends MigrationReport {
  readonly data: string;
}

/** Migrates the store and reports the versions; for `reeve migrate`. */
export async function migrateStore(settings: Settings, notices: MigrationNotices, clock: Clock): Promise<Migration> {
  refuseUnusableFile(settings);
  const database = await openDatabase(settings);
  try {
    return { ...(await migrateDatabase(settings, database, clock(), notices)), data: describeData(settings) };
  } finally {
    await database.close();
  }
}

/**
 * Limits access to the data directory to its owner, even if somebody else created it, and logs the change. A directory that
 * holds foreign files too may be a shared one, such as /tmp: it is left as it is, and the log says what to do.
 */
function narrowDataDir(dataDir: string, logger: Pick<FastifyBaseLogger, "warn">): void {
  const mode = statSync(dataDir, { throwIfNoEntry: false })?.mode ?? OWNER_ONLY;
  // Systems without user ids have no file modes.
  if ((mode & OTHERS_MASK) === 0 || process.getuid === undefined) return;
  const attributes = { dataDir, mode: (mode & 0o7777).toString(8) };
  try {
    const foreign = readdirSync(dataDir).find((name) => !OWN.test(name));
    if (foreign !== undefined) throw new Error(`it holds ${foreign}, which is not Reeve's`);
    chmodSync(dataDir, OWNER_ONLY);
    logger.warn(attributes, "others than its owner could enter the data directory; its mode is 700 now");
  } catch (error) {
    const { message } = error as Error;
    logger.warn(
      attributes,
      `others than its owner may enter the data directory, and it is left so (${message}): give Reeve one that its user owns, with mode 700`,
    );
  }
}

export interface PreparedStore extends PreparedKeyring {
  readonly database: Database;
}

/** Prepares the store for a starting server: opens it, migrates it and checks its master keys. */
export async function prepareStore(
  settings: Settings,
  meter: StoreMeter,
  { clock, logger }: { readonly clock: Clock; readonly logger: FastifyBaseLogger },
): Promise<PreparedStore> {
  // Read the keys first: unreadable keys must stop the start before it creates or changes anything.
  openKeyring(keySources(settings));
  refuseUnusableFile(settings);
  const database = await openDatabase(settings, meter);
  try {
    await migrateDatabase(settings, database, clock(), {
      onWait: (holders) =>
        logger.warn({ holders }, "the migration of the schema waits for a lock that other sessions hold"),
      // It can take minutes: a terminal, which shows warnings alone, shows it too.
      onMigration: (step) => logger.warn(step, "migrates the schema"),
      onCommit: () => logger.warn("commits the migration of the schema"),
    });
    const keys = await prepareKeyring(settings, database, clock());
    narrowDataDir(settings.dataDir, logger);
    return { database, ...keys };
  } catch (error) {
    await database.close();
    throw error;
  }
}
