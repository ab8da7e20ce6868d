// A file of SQLite with the schema and no rows, which a run makes once: to copy it takes a tenth of the CPU of migrating an empty store.
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { readSettings } from "../../src/serve/config/config.ts";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { migrateStore } from "../../src/serve/prepare-store.ts";

/** Names the file. Without it, as where one test file runs alone, stores are migrated. */
export const SQLITE_TEMPLATE = "REEVE_TEST_SQLITE_TEMPLATE";

/** Makes it in a folder of its own in this one, and returns its path. */
export async function createSqliteTemplate(folder: string): Promise<string> {
  const dataDir = join(folder, "sqlite-template");
  mkdirSync(dataDir);
  const settings = readSettings({ dataDir }, {});
  await migrateStore(settings, {}, Date.now);
  return sqliteFile(settings);
}

/** Puts a copy into a data directory, if there is one. */
export function copySqliteTemplate(dataDir: string): void {
  const template = process.env[SQLITE_TEMPLATE];
  if (template !== undefined) copyFileSync(template, sqliteFile(readSettings({ dataDir }, {})));
}
