// A store of the second schema, with a secret in it, is opened by this program: what it held is there, and a firewall can
// be stored in it.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { readSettings } from "../../src/config.ts";
import { createApp } from "../../src/runtime/app.ts";
import type { App } from "../../src/runtime/app.ts";
import { openDatabase, sqliteFile } from "../../src/runtime/backend.ts";
import { createLogger } from "../../src/runtime/logger.ts";
import { verifyEvents } from "../../src/runtime/verify-events.ts";
import type { Database } from "../../src/store/database.ts";
import { SCHEMA_VERSION, migrate, readSchemaVersion } from "../../src/store/migrate.ts";
import { foundation } from "../../src/store/migrations/0001-foundation.ts";
import { secrets } from "../../src/store/migrations/0002-secrets.ts";
import { ENGINE, START_TIME, createStorage, send } from "../harness.ts";

const token = "second_schema_administrator_token_of_the_upgrade_test";
const storage = await createStorage();
const settings = readSettings({ ...storage.flags, bootstrapToken: token }, {});
const file = ENGINE === "sqlite" ? sqliteFile(settings) : null;
const apps: App[] = [];
after(async () => {
  for (const app of apps) await app.close();
  await storage.remove();
});

async function start(): Promise<App> {
  const app = await createApp(settings, { clock: () => START_TIME, logger: createLogger("error", process.stdout) });
  apps.push(app);
  return app;
}

/** Everything that a schema is made of, as text. */
async function describeSchema({ engine, admin }: Database): Promise<Record<string, unknown>[]> {
  if (engine === "sqlite") {
    const rows = await admin.query(
      "select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by name",
    );
    // Dropping a column leaves other spaces behind.
    return rows.map((row) => ({ ...row, sql: String(row["sql"]).replaceAll(/\s+(?=\))|(?<=\s)\s+/g, "") }));
  }
  return [
    ...(await admin.query(
      `select table_name as name, column_name, data_type, is_nullable, column_default from information_schema.columns
        where table_schema = current_schema() order by 1, 2`,
    )),
    ...(await admin.query("select indexname, indexdef from pg_indexes where schemaname = current_schema() order by 1")),
  ];
}

const tablesOf = (schema: readonly Record<string, unknown>[]) =>
  new Set(
    schema.flatMap(({ type, name }) => (name !== undefined && (type ?? "table") === "table" ? [name as string] : [])),
  );

/** What the first two migrations make. */
async function readSecondSchema(): Promise<Record<string, unknown>[]> {
  const empty = await createStorage();
  const database = await openDatabase(readSettings(empty.flags, {}));
  await migrate(database, null, START_TIME, [foundation, secrets]);
  const schema = await describeSchema(database);
  await database.close();
  await empty.remove();
  return schema;
}

/** What later schemas put into tables of the second one. */
const LATER_COLUMNS = [
  ["owners", "webhooks"],
  ["owners", "checkpoint_due_at"],
  ["owners", "oldest_event_at"],
] as const;
const LATER_INDEXES = ["owners_checkpoint_due", "owners_oldest_event"];

/** Takes a store back to the second schema: whole tables came after it, and these columns. */
async function takeBack(database: Database): Promise<void> {
  const second = await readSecondSchema();
  const known = tablesOf(second);
  const later = [...tablesOf(await describeSchema(database))].filter((table) => !known.has(table));
  assert.ok(later.includes("firewall_versions"));
  if (database.engine === "sqlite") await database.admin.exec("pragma foreign_keys = off");
  for (const table of later) {
    await database.admin.exec(`drop table ${table} ${database.engine === "sqlite" ? "" : "cascade"}`);
  }
  for (const index of LATER_INDEXES) await database.admin.exec(`drop index ${index}`);
  for (const [table, column] of LATER_COLUMNS) await database.admin.exec(`alter table ${table} drop column ${column}`);
  await database.admin.exec("delete from schema_migrations where version > 2");
  assert.deepEqual(await describeSchema(database), second);
  assert.equal(await readSchemaVersion(database), 2);
}

const before = await start();
const body = { name: "API_KEY", value: "s3cret", decryptable: true };
assert.equal((await send(before, "POST", "/v2/secrets", { token, body })).status, 200);
await before.close();
const old = await openDatabase(settings);
await takeBack(old);
await old.close();

test("what a store of the second schema held is there, and a firewall is kept in it", async () => {
  const app = await start();
  assert.equal(app.newKeyFile, null);
  const secret = await send(app, "GET", "/v3/secrets/API_KEY?decrypt=true", { token });
  assert.equal(secret.body.value, "s3cret", secret.text);
  assert.equal((await send(app, "GET", "/v1/firewalls/active", { token })).status, 404);
  const config = { firewallEnabled: true, botIdEnabled: true };
  assert.equal((await send(app, "PUT", "/v1/firewalls", { token, body: config })).status, 200);
  await app.close();
  const again = await start();
  assert.equal((await send(again, "GET", "/v1/firewalls/active", { token })).body.botIdEnabled, true);
  assert.equal((await verifyEvents(settings)).firstFault, null);
  const database = await openDatabase(settings);
  assert.equal(await readSchemaVersion(database), SCHEMA_VERSION);
  await database.close();
});

test("the file as it was lies beside it, on SQLite", () => {
  if (file !== null) assert.deepEqual(readdirSync(join(settings.dataDir, "copies")), ["before-schema-3.db"]);
});
