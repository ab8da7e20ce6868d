// Opens the database that the settings name, for a process that starts and for commands beside a running server.
import { existsSync, mkdirSync } from "node:fs";
import { rereadUrl } from "./config/config.ts";
import type { Settings } from "./config/config.ts";
import { describeData, sqliteFile } from "./config/data-paths.ts";
import { StoreError } from "../platform/store/database.ts";
import type { Database } from "../platform/store/database.ts";
import type { StoreMeter } from "../platform/store/meter.ts";
import { isTableMissing } from "../platform/store/failure.ts";
import { requireCurrentSchema } from "../platform/store/migrations/migrate.ts";
import type { Queried } from "../platform/store/migrations/migrate.ts";
import { createForOwner } from "../platform/store/sqlite/file.ts";
import { openSqlite } from "../platform/store/sqlite/sqlite.ts";

async function connectPostgres(url: string, settings: Settings, meter: StoreMeter | undefined): Promise<Database> {
  // Loaded on demand: the embedded store starts faster without it.
  const { openPostgres } = await import("../platform/store/postgres/postgres.ts");
  return await openPostgres(url, meter, () => rereadUrl(settings, "databaseUrl"));
}

/** Opens the database on this thread; creates a missing embedded one. */
export async function openDatabase(settings: Settings, meter?: StoreMeter): Promise<Database> {
  if (settings.databaseUrl !== null) return await connectPostgres(settings.databaseUrl, settings, meter);
  try {
    mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StoreError(`cannot create the data directory ${settings.dataDir}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  createForOwner(sqliteFile(settings));
  return openSqlite(sqliteFile(settings));
}

interface Opening {
  readonly mode?: "read" | "write";
  readonly requireSchema?: (store: Queried, missing: string) => Promise<unknown>;
  readonly meter?: StoreMeter;
}

/** Reads the schema where a request's patience would not do: a restore locks the tables that it replaces until it has ended. */
async function awaitSchema(database: Database, look: (store: Queried) => Promise<unknown>, missing: string) {
  try {
    await database.snapshot((tx) => look({ engine: tx.engine, admin: tx }));
  } catch (error) {
    throw isTableMissing(error) ? new StoreError(missing, { cause: error }) : error;
  }
}

/** Opens a database that a server or `reeve migrate` made, if its schema is accepted; never creates one. */
export async function openExistingDatabase(settings: Settings, opening: Opening = {}): Promise<Database> {
  const { mode = "write", requireSchema = requireCurrentSchema, meter } = opening;
  const missing = `there is no Reeve database in ${describeData(settings)}: run \`reeve serve\` or \`reeve migrate\` first`;
  if (settings.databaseUrl === null && !existsSync(sqliteFile(settings))) {
    throw new StoreError(`${missing}, or name its folder with REEVE_DATA_DIR (--data-dir)`);
  }
  const isFile = settings.databaseUrl === null;
  const database =
    isFile && mode === "read" ? openSqlite(sqliteFile(settings), mode) : await openDatabase(settings, meter);
  try {
    const look = (store: Queried) => requireSchema(store, missing);
    await (mode === "read" && !isFile ? awaitSchema(database, look, missing) : look(database));
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens an existing database while `work` runs; in mode `read` the embedded one is not changed. */
export async function withExistingDatabase<T>(
  settings: Settings,
  work: (database: Database) => Promise<T>,
  opening?: Opening,
): Promise<T> {
  const database = await openExistingDatabase(settings, opening);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
