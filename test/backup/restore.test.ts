// Where a backup may be restored, what happens to an existing store, and what verification finds.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Settings } from "../../src/serve/config/config.ts";
import { createApp } from "../../src/serve/app.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { SCHEMA_VERSION, migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import { foundation } from "../../src/platform/store/migrations/0001-foundation.ts";
import { ENGINE, createStorage, send, startOwnApp } from "../harness/test-app.ts";
import { NOW, backUpTo, emptyStore, exportTo, newFile, restore, verify } from "./world.ts";

const api = await startOwnApp();
const owner = await api.createUser("ada");
const team = await api.createTeam(owner, "acme");
const body = { name: "API_KEY", value: "swordfish", decryptable: true };
await api.request("POST", `/v2/secrets?teamId=${team.id}`, { token: owner.token, body });
const archive = await exportTo(api.settings);
const backup = await backUpTo(api.settings, newFile());

async function start(settings: Settings) {
  return await createApp(settings, { clock: () => NOW, logger: createLogger("error", process.stdout) });
}

async function readTeams(settings: Settings): Promise<unknown[]> {
  const database = await openDatabase(settings);
  try {
    return (await database.admin.query("select slug from teams order by slug")).map((row) => row["slug"]);
  } finally {
    await database.close();
  }
}

/** A store with data: a team of its own. */
async function livedInStore(): Promise<Settings> {
  const settings = await emptyStore(api);
  const app = await start(settings);
  const token = (await app.bootstrap()).newToken;
  const made = await send(app, "POST", "/v1/teams", { token, body: { slug: "beta" } });
  assert.equal(made.status, 200, made.text);
  await app.close();
  return settings;
}

test("a backup is restored into an empty store, and into one that is only migrated", async () => {
  for (const { file, rows } of [archive, backup]) {
    const settings = await emptyStore(api);
    assert.equal((await restore(settings, file)).rows, rows);
    assert.deepEqual(await readTeams(settings), ["acme"]);
    const migrated = await emptyStore(api);
    const database = await openDatabase(migrated);
    await migrate(database, null, NOW);
    await database.close();
    assert.equal((await restore(migrated, file)).replaced, null);
    assert.deepEqual(await readTeams(migrated), ["acme"]);
  }
});

test("a store with data is kept, unless it is to be replaced", async () => {
  const settings = await livedInStore();
  for (const { file } of [archive, backup]) {
    await assert.rejects(restore(settings, file), { code: "store_exists", message: /--replace/ });
    assert.deepEqual(await readTeams(settings), ["beta"]);
  }
  const { replaced, rows } = await restore(settings, backup.file, { replace: true });
  assert.equal(rows, backup.rows);
  assert.deepEqual(await readTeams(settings), ["acme"]);
  if (ENGINE === "postgres") {
    assert.equal(replaced, null);
    return;
  }
  assert.ok(replaced !== null);
  assert.deepEqual(readdirSync(dirname(sqliteFile(settings))).toSorted(), ["copies", "reeve.db"]);
  const back = await emptyStore(api);
  await restore(back, replaced);
  assert.deepEqual(await readTeams(back), ["beta"]);
});

test("a store that a server has open is refused, even idle, and even to be replaced", async () => {
  const settings = await livedInStore();
  const app = await start(settings);
  for (const replace of [false, true]) {
    await assert.rejects(restore(settings, archive.file, { replace }), /is in use: stop its server/);
  }
  await app.close();
  await restore(settings, archive.file, { replace: true });
  assert.deepEqual(await readTeams(settings), ["acme"]);
});

test("a damaged embedded store counts as one with data, and can be replaced", async () => {
  if (ENGINE === "postgres") return;
  const settings = await livedInStore();
  writeFileSync(sqliteFile(settings), Buffer.alloc(20_000, 0x55));
  await assert.rejects(restore(settings, archive.file), { code: "store_exists" });
  const { replaced } = await restore(settings, archive.file, { replace: true });
  assert.deepEqual(await readTeams(settings), ["acme"]);
  assert.equal(readFileSync(replaced as string).at(0), 0x55);
});

test("the log of a lost database is not applied to the new one", async () => {
  if (ENGINE === "postgres") return;
  const settings = await emptyStore(api);
  const file = sqliteFile(settings);
  writeFileSync(`${file}-wal`, "left behind");
  await restore(settings, backup.file);
  assert.ok(!existsSync(`${file}-wal`));
  assert.deepEqual(await readTeams(settings), ["acme"]);
});

test("a database with its log beside it is restored with the changes in the log", async () => {
  if (ENGINE === "postgres") return;
  const file = newFile(".db");
  const source = sqliteFile(api.settings);
  await api.createTeam(owner, "gamma");
  for (const ending of ["", "-wal"]) writeFileSync(file + ending, readFileSync(source + ending));
  const settings = await emptyStore(api);
  await restore(settings, file);
  assert.deepEqual(await readTeams(settings), ["acme", "gamma"]);
  await api.request("DELETE", "/v1/teams/gamma", { token: owner.token });
});

test("a backup of an older schema is upgraded, also on the other engine", async () => {
  const storage = await createStorage();
  after(storage.remove);
  const old = readSettings(storage.flags, {});
  const database = await openDatabase(old);
  await migrate(database, null, NOW, [foundation]);
  await database.admin.exec(
    "insert into owners (id, kind, sequence) values ('team_1', 'team', 0), ('user_1', 'user', 0)",
  );
  await database.close();
  for (const write of [backUpTo, exportTo]) {
    const { file, schemaVersion } = await write(old, newFile());
    assert.equal(schemaVersion, 1);
    for (const engine of [undefined, "sqlite"] as const) {
      const settings = await emptyStore(api, engine);
      // The owners; and the team, of which nothing else is left, as a deleted one where the upgrade comes before the count.
      assert.ok((await restore(settings, file)).rows >= 3);
      const restored = await openDatabase(settings);
      assert.equal(await readSchemaVersion(restored), SCHEMA_VERSION);
      const owners = await restored.admin.query("select id, webhooks from owners order by id");
      assert.deepEqual(
        owners.map((row) => ({ ...row })),
        ["instance", "team_1", "user_1"].map((id) => ({ id, webhooks: 0 })),
      );
      await restored.close();
    }
  }
});

test("a store of a newer schema is neither backed up nor replaced", async () => {
  const settings = await livedInStore();
  const database = await openDatabase(settings);
  await database.admin.exec(
    `insert into schema_migrations (version, name, applied_at) values (${SCHEMA_VERSION + 1}, 'later', 0)`,
  );
  await database.close();
  await assert.rejects(exportTo(settings), /has schema version .* start the newer Reeve/);
  await assert.rejects(backUpTo(settings, newFile()), /has schema version .* start the newer Reeve/);
  if (ENGINE === "postgres") {
    await assert.rejects(restore(settings, archive.file, { replace: true }), /has schema version/);
  }
});

test("import accepts archives only", async () => {
  if (ENGINE === "postgres") return;
  const settings = await emptyStore(api);
  const importing = { kinds: ["archive"] } as const;
  await assert.rejects(restore(settings, backup.file, importing), { code: "archive_format", message: /reeve restore/ });
  assert.equal((await restore(settings, archive.file, importing)).kind, "archive");
});

test("a restore without the master key says so, and no server starts there", async () => {
  const { masterKeyFile: _, ...settings } = await emptyStore(api);
  const without = { ...settings, masterKeyFile: null };
  const { missingKeys } = await restore(without, archive.file);
  assert.deepEqual(missingKeys, archive.masterKeys);
  await assert.rejects(start(without), /is sealed with the master key/);
  const report = await verify(without, archive.file);
  assert.deepEqual(report.missingKeys, archive.masterKeys);
  assert.equal(report.damage, null);
  assert.equal(report.sealed?.opened, 0);
  assert.ok((report.sealed?.withoutKey ?? 0) > 0);
});

test("verification finds rewritten events and exchanged values, before and after the backup", async () => {
  const settings = await emptyStore(api);
  await restore(settings, archive.file);
  const database = await openDatabase(settings);
  await database.admin.exec(
    `update events set text = 'Reeve did something else' where owner_id = '${team.id}' and sequence = 1`,
  );
  await database.admin.exec("update secret_versions set version = 7");
  await database.close();
  for (const write of [backUpTo, exportTo]) {
    const { chains, sealed, damage } = await verify(settings, (await write(settings, newFile())).file);
    assert.equal(damage, null);
    assert.equal(chains?.firstFault?.ownerId, team.id);
    assert.equal(chains.firstFault.sequence, 1);
    assert.equal(sealed?.unreadable, 1);
  }
});

test("a verification leaves nothing behind, and does not change the store", async () => {
  const before = await exportTo(api.settings);
  await verify(api.settings, backup.file);
  assert.equal((await exportTo(api.settings)).content, before.content);
  assert.ok(!existsSync(join(api.settings.dataDir, "copies")));
});
