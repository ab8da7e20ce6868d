// The search entries of secrets, which triggers keep, are those that the secrets themselves tell: after changes of each kind, after a
// restore, and in a store that is upgraded.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import pg from "pg";
import { migrate, migrationsUpTo } from "../../src/platform/store/migrations/migrate.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { exportStore } from "../../src/serve/backup/backup.ts";
import { restoreStore } from "../../src/serve/backup/restore.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { ENGINE, createStorage, startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openVault } from "../resources/secrets.ts";

const api = await startOwnApp();
const { app, clock, createTeam, createUser, request, settings } = api;

const ENTRIES = `select scope, user_id as id, position, content from search_entries where scope like 'secrets:%' order by scope, ordinal`;
const SECRETS = `select 'secrets:' || owner_id as scope, id, position, lower(name) as content from secrets order by 1, position`;

/** How many entries there are, after they were compared, in the order of each list. */
async function compareEntries({ admin }: Pick<Database, "admin">): Promise<number> {
  const read = async (sql: string) => (await admin.query(sql)).map((row) => Object.values(row).join(" "));
  const entries = await read(ENTRIES);
  assert.deepEqual(entries, await read(SECRETS));
  return entries.length;
}
const compare = () => api.withStore(compareEntries);

/** Another store with what this one has. */
async function restoreCopy(name: string, replace = false, given?: Awaited<ReturnType<typeof createStorage>>) {
  const file = join(settings.dataDir, name);
  const nothing = () => undefined;
  const now = () => clock.now;
  await exportStore(settings, { file, force: true }, nothing, now);
  const storage = given ?? (await createStorage());
  if (!given) after(storage.remove);
  const restored = readSettings({ ...storage.flags, masterKeyFile: join(settings.dataDir, "master.key") }, {});
  await restoreStore(restored, { file, replace, endCredentials: false, kinds: ["archive"] as const }, nothing, now);
  return { storage, store: await openDatabase(restored) };
}

test("entries follow secrets that are added, renamed, deleted, restored and destroyed, of several owners", async () => {
  const [owner, alone] = [await createUser(), await createUser()];
  const team = await createTeam(owner);
  const vaults = [openVault(api, alone.token), openVault(api, owner.token, team.id)];
  for (const vault of vaults) {
    for (const name of ["ONE", "Two", "three.three", "four-4"]) await vault.add(name);
    assert.equal(
      (
        await vault.renameAll([
          { from: "ONE", to: "Two" },
          { from: "Two", to: "ONE" },
        ])
      ).status,
      200,
    );
    assert.equal((await vault.change("three.three", { name: "Third" })).status, 200);
    await vault.remove("four-4");
    await vault.remove("Third", "permanent=true");
    await vault.add("four-4");
  }
  assert.equal(await compare(), 8);
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token })).status, 200);
  await waitFor("the removal of the team", async () => {
    await app.runner.changes.continueRemoval(team.id, clock.now);
    return (await api.query("select owner_id from removals")).length === 0;
  });
  assert.equal(await compare(), 4);
});

test("a restored store has the entries of its secrets and keeps them, also in place of another", async () => {
  const { storage, store } = await restoreCopy("entries.ndjson");
  assert.ok((await compareEntries(store)) > 0);
  await store.close();
  const again = await restoreCopy("entries.ndjson", true, storage);
  try {
    const count = await compareEntries(again.store);
    await again.store.admin.exec("update secrets set name = 'Changed', name_key = 'changed' where name = 'ONE'");
    assert.equal(await compareEntries(again.store), count);
    await again.store.admin.exec("delete from secrets where name = 'Changed'");
    assert.ok((await compareEntries(again.store)) < count);
  } finally {
    await again.store.close();
  }
});

/** Takes a store back to the schema before. */
async function forget({ admin }: Pick<Database, "admin">): Promise<void> {
  for (const name of ["added", "renamed", "removed"]) {
    await admin.exec(
      ENGINE === "postgres" ? `drop function reeve_secret_${name} cascade` : `drop trigger secrets_${name}`,
    );
  }
  await admin.exec(
    `delete from search_entries where scope like 'secrets:%'; delete from schema_migrations where version >= 43`,
  );
}

test("a store of the schema before gets the entries of its secrets", async () => {
  const { store } = await restoreCopy("before.ndjson");
  try {
    const { admin } = store;
    await forget(store);
    assert.equal((await migrate(store, null, 0, migrationsUpTo(43))).to, 43);
    const count = await compareEntries(store);
    assert.ok(count > 0);
    await admin.exec("delete from secrets where name = 'Two'");
    assert.ok((await compareEntries(store)) < count);
  } finally {
    await store.close();
  }
});

if (ENGINE === "postgres") {
  test("a change by a process of the schema before, which ends while the entries are made, has its entry", async () => {
    const { storage, store } = await restoreCopy("beside.ndjson");
    const client = new pg.Client(storage.flags.databaseUrl);
    await client.connect();
    try {
      await forget(store);
      await client.query("begin");
      await client.query("update secrets set name = 'Beside', name_key = 'beside' where name = 'Two'");
      const migrated = migrate(store, null, 0, migrationsUpTo(43));
      await waitFor("the migration to wait for the change", async () => {
        const { rows } = await client.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows.length > 0;
      });
      await client.query("commit");
      assert.equal((await migrated).to, 43);
      assert.ok((await compareEntries(store)) > 0);
    } finally {
      await client.end();
      await store.close();
    }
  });
}
