// Opens a store of the second schema, with a secret in it: its data is complete, and it can store a firewall.
import assert from "node:assert/strict";
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { createApp } from "../../src/serve/app.ts";
import type { App } from "../../src/serve/app.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import { SCHEMA_VERSION, migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import { foundation } from "../../src/platform/store/migrations/0001-foundation.ts";
import { secrets } from "../../src/platform/store/migrations/0002-secrets.ts";
import { ENGINE, START_TIME, createStorage, send } from "../harness/test-app.ts";

const token = "second_schema_administrator_token_of_the_upgrade_test";
const storage = await createStorage();
const settings = readSettings({ ...storage.flags, bootstrapToken: token }, {});
const file = ENGINE === "sqlite" ? sqliteFile(settings) : null;
const apps: App[] = [];
after(async () => {
  for (const app of apps) await app.close();
  await storage.remove();
});

async function start(on = settings): Promise<App> {
  const app = await createApp(on, { clock: () => START_TIME, logger: createLogger("error", process.stdout) });
  apps.push(app);
  await app.bootstrap();
  return app;
}

/** A value as an SQL literal. */
function literalOf(value: unknown): string {
  if (value === null) return "null";
  if (value instanceof Uint8Array) {
    const digits = Buffer.from(value).toString("hex");
    return ENGINE === "sqlite" ? `x'${digits}'` : `'\\x${digits}'`;
  }
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : (value as number).toString();
}

/** Copies the columns that the second schema has. */
async function copyRows(from: Database, to: Database): Promise<void> {
  const tables = listTables(2).filter(({ name }) => name !== "schema_migrations");
  for (const { name } of tables.toReversed()) await to.admin.exec(`delete from ${name}`);
  for (const { name, columns } of tables) {
    const names = columns.map((column) => column.name).join(", ");
    for (const row of await from.admin.query(`select ${names} from ${name}`)) {
      const values = columns.map((column) => literalOf(row[column.name]));
      await to.admin.exec(`insert into ${name} (${names}) values (${values.join(", ")})`);
    }
  }
}

/** Creates a store of the second schema from one of the present schema. */
async function createOldStore(): Promise<void> {
  const present = await createStorage();
  const written = readSettings({ ...present.flags, bootstrapToken: token }, {});
  const app = await start(written);
  const body = { name: "API_KEY", value: "s3cret", decryptable: true };
  assert.equal((await send(app, "POST", "/v2/secrets", { token, body })).status, 200);
  await app.close();
  const [from, to] = [await openDatabase(written), await openDatabase(settings)];
  await migrate(to, null, START_TIME, [foundation, secrets]);
  await copyRows(from, to);
  assert.equal(await readSchemaVersion(to), 2);
  await from.close();
  await to.close();
  copyFileSync(join(written.dataDir, "master.key"), join(settings.dataDir, "master.key"));
  await present.remove();
}

await createOldStore();

test("a store of the second schema keeps its data, and stores a firewall", async () => {
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

test("a copy of the file before the upgrade is beside it, on SQLite", () => {
  if (file !== null) assert.deepEqual(readdirSync(join(settings.dataDir, "copies")), ["before-schema-3.db"]);
});
