// Opens a store of the first schema: its data is complete, and secrets work in it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { createApp } from "../../src/serve/app.ts";
import type { App } from "../../src/serve/app.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import { foundation } from "../../src/platform/store/migrations/0001-foundation.ts";
import { openSqlite } from "../../src/platform/store/sqlite/sqlite.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { ENGINE, START_TIME, createStorage, send } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";

/** The token of the administrator in schema-1.sql. */
const token = "schema_1_administrator_token_of_the_upgrade_test";
const ROWS = readFileSync(join(import.meta.dirname, "schema-1.sql"), "utf8");

const storage = await createStorage();
const settings = readSettings(storage.flags, {});
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

async function read(app: App, url: string) {
  const { status, body, text } = await send(app, "GET", url, { token });
  assert.equal(status, 200, text);
  return body;
}

const old = await openDatabase(settings);
await migrate(old, file, START_TIME, [foundation]);
await old.admin.exec(ROWS);
assert.equal(await readSchemaVersion(old), 1);
await old.close();
const app = await start();

test("accounts, teams, members and events are complete, and their chains verify", async () => {
  assert.equal((await app.bootstrap()).isFirst, false);
  assert.equal((await read(app, "/v2/user")).user.username, "admin");
  const { users } = await read(app, "/v1/users");
  assert.deepEqual(users.map(({ email }: { email: string }) => email).toSorted(), [
    "ada@example.com",
    "admin@localhost",
    "bob@example.com",
  ]);
  const { teams } = await read(app, "/v2/teams");
  assert.deepEqual(
    teams.map(({ slug, name }: { slug: string; name: string }) => [slug, name]),
    [["engines", "Engines & Co"]],
  );
  const { members } = await read(app, "/v3/teams/engines/members");
  const ids = ["Vbajl4XgBpENogxvDnuwIfSt", "Vbajl4dXEqembdBazsAWL3PF", "Vbajl3QWLSjsKBw0rK7MlRWG"];
  assert.deepEqual(
    members.map(({ uid, role, confirmed, createdAt }: Body) => [uid, role, confirmed, createdAt]),
    [
      [ids[0], "MEMBER", false, 1_767_226_320_000],
      [ids[1], "VIEWER", false, 1_767_226_200_000],
      [ids[2], "OWNER", true, 1_767_226_080_000],
    ],
    "who was invited is, under the same ids",
  );
  const { invites } = await read(app, "/v1/teams/engines/invites");
  assert.deepEqual(
    invites.map(({ kind, role, status, uses }: Body) => [kind, role, status, uses]),
    [
      ["email", "MEMBER", "active", 0],
      ["email", "VIEWER", "active", 0],
    ],
  );
  const { events } = await read(app, "/v3/events?slug=engines");
  assert.equal(events.length, 4);
  // The administrator has no way to sign in yet, so the start has made a link.
  assert.deepEqual(await verifyEvents(settings), {
    owners: 5,
    events: 10,
    checkpoints: 0,
    kept: 0,
    firstFault: null,
    keys: [],
  });
  // Checkpoints of the existing chains are due at once.
  assert.equal(await app.runner.changes.checkpointDue(null, START_TIME), 4);
});

test("a copy of the file before the upgrade is beside it, on SQLite", async () => {
  if (file === null) return;
  const folder = join(settings.dataDir, "copies");
  assert.deepEqual(readdirSync(folder), ["before-schema-2.db"]);
  const copy = openSqlite(join(folder, "before-schema-2.db"));
  assert.equal(await readSchemaVersion(copy), 1);
  assert.equal((await copy.admin.query("select id from events")).length, 9);
  assert.deepEqual(await copy.admin.query("select name from sqlite_schema where name = 'secrets'"), []);
  await copy.close();
});

test("a master key is created once, and secrets work in an existing team", async () => {
  assert.equal(app.newKeyFile, join(settings.dataDir, "master.key"));
  const body = { name: "API_KEY", value: "s3cret", decryptable: true };
  const created = await send(app, "POST", "/v2/secrets?slug=engines", { token, body });
  assert.equal(created.status, 200, created.text);
  assert.equal((await read(app, "/v3/secrets/API_KEY?slug=engines&decrypt=true")).value, "s3cret");
  await app.close();

  const again = await start();
  assert.equal(again.newKeyFile, null);
  assert.equal((await read(again, "/v3/secrets/API_KEY?slug=engines&decrypt=true")).value, "s3cret");
  assert.equal((await verifyEvents(settings)).firstFault, null);

  // The existing events are old enough; the three events of the secret remain, and that of the link.
  const prune = () => again.runner.changes.pruneEvents({ retentionDays: 1 }, START_TIME + DAY_MS / 2);
  while ((await prune()) > 0);
  const { events, firstFault } = await verifyEvents(settings);
  assert.deepEqual([events, firstFault], [4, null]);
});

test("an invited user joins", async () => {
  const last = await start();
  const userId = "Vbajl4dXEqembdBazsAWL3PF";
  const { value } = await last.runner.changes.issueToken({ userId, name: "upgrade" }, START_TIME);
  const joined = await send(last, "POST", "/v1/teams/join", { token: value, body: { teamId: "engines" } });
  assert.equal(joined.status, 200, joined.text);
  const { members } = await read(last, "/v3/teams/engines/members");
  const states = members.map(({ role, confirmed }: Body) => [role, confirmed]);
  assert.deepEqual(states, [
    ["VIEWER", true],
    ["MEMBER", false],
    ["OWNER", true],
  ]);
});
