// Kills a process that migrates a store of the first schema, in the middle of the changes and at random points: the store has
// one schema or the other, with all of its data, and the next start continues. `npm run proof -- --long` kills it more often.
import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import pg from "pg";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import type { Database } from "../../src/platform/store/database.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import { SCHEMA_VERSION, migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import { foundation } from "../../src/platform/store/migrations/0001-foundation.ts";
import { runReeve, serveReeve, startReeve, stopReeve } from "../cli/reeve-process.ts";
import { ENGINE, START_TIME, createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { ENDLESS, isWriteLocked } from "./write-lock.ts";

const KILLS = Number(process.env["FAULT_ROUNDS"] ?? (ENGINE === "sqlite" ? 8 : 4));
/** Rows that make copying and migrating slow enough to be killed. */
const OWNERS = 20_000;
const MAILS = 2_000;
const ROWS = readFileSync(new URL("../store/schema-1.sql", import.meta.url), "utf8");
/** The token of the administrator in those rows. */
const token = "schema_1_administrator_token_of_the_upgrade_test";
const series = (count: number) =>
  ENGINE === "sqlite"
    ? `(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count}) select i from n)`
    : `(select generate_series(1, ${count}) as i)`;

type Old = Awaited<ReturnType<typeof createOld>>;

/** A store of the first schema. */
async function createOld() {
  const storage = await createStorage();
  after(storage.remove);
  const settings = readSettings(storage.flags, {});
  const withStore = async <T>(work: (database: Database) => Promise<T>): Promise<T> => {
    const database = await openDatabase(settings);
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  await withStore(async (database) => {
    await migrate(database, null, START_TIME, [foundation]);
    await database.admin.exec(ROWS);
    await database.admin.exec(
      `insert into owners (id, kind, sequence) select 'team_' || i, 'team', 0 from ${series(OWNERS)} s`,
    );
    await database.admin.exec(`insert into mails (id, kind, recipient, payload, due_at, created_at)
      select 'mail_' || i, 'x', 'x', '${"ballast ".repeat(1_000)}', ${Number.MAX_SAFE_INTEGER}, 0 from ${series(MAILS)} s`);
  });
  return { flags: { ...storage.flags, logLevel: "fatal" }, settings, withStore };
}

/** How many rows each table of the first schema has. */
async function countRows({ admin }: Database): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const { name } of listTables(1)) {
    const [row] = await admin.query(`select count(*) as n from ${name}`);
    counts[name] = Number(row?.["n"]);
  }
  return counts;
}

/** Whether the tables match the stored schema version. */
async function hasItsTables(database: Database, version: number): Promise<boolean> {
  const last = listTables(SCHEMA_VERSION).map(({ name }) => name);
  const first = new Set(listTables(1).map(({ name }) => name));
  for (const name of last) {
    const isThere = await database.admin.query(`select 1 from ${name} limit 1`).then(
      () => true,
      () => false,
    );
    if (isThere !== (version === SCHEMA_VERSION || first.has(name))) return false;
  }
  return true;
}

/** Asserts that no data is missing and no change is partial; returns the schema version. */
async function checkWhole(old: Old): Promise<number> {
  return await old.withStore(async (database) => {
    const version = await readSchemaVersion(database);
    assert.ok(version === 1 || version === SCHEMA_VERSION);
    assert.ok(await hasItsTables(database, version), `tables are not those of version ${version}`);
    assert.deepEqual(await countRows(database), version === 1 ? rows : upgradedRows);
    return version;
  });
}

/** Starts a server on the store, and asserts that all of it works. */
async function checkStart({ flags, settings, withStore }: Old): Promise<void> {
  const server = await serveReeve(flags);
  const response = await fetch(`${server.url}/v3/teams/engines/members`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(((await response.json()) as { members: unknown[] }).members.length, 3);
  assert.equal((await stopReeve(server)).code, 0);
  assert.equal(await withStore(readSchemaVersion), SCHEMA_VERSION);
  // Owners without an event count as ones whose events were removed. In batches: each is one statement, which has an end.
  const unused = "select id from owners where kind = 'team' and sequence = 0 order by id limit 2000";
  await withStore(async ({ admin }) => {
    while ((await admin.query(unused)).length > 0) {
      await admin.exec(`delete from deleted_teams where id in (${unused})`);
      await admin.exec(`delete from owners where id in (${unused})`);
    }
  });
  const verified = await runReeve(["events", "verify", "--json"], flags);
  assert.equal(JSON.parse(verified.stdout).intact, true, verified.stdout);
  if (ENGINE === "sqlite") assert.deepEqual(readdirSync(join(settings.dataDir, "copies")), ["before-schema-2.db"]);
}

const measured = await createOld();
const rows = await measured.withStore(countRows);
const [invited] = await measured.withStore(({ admin }) =>
  admin.query("select count(*) as n from memberships where state = 'invited'"),
);
const moved = Number(invited?.["n"]);
/** An invited user has an invitation since this migration, and no membership. */
const upgradedRows = {
  ...rows,
  invites: (rows["invites"] ?? 0) + moved,
  memberships: (rows["memberships"] ?? 0) - moved,
};
const startedAt = performance.now();
const { code, stderr } = await runReeve(["migrate"], measured.flags);
const takesMs = performance.now() - startedAt;
assert.equal(code, 0, stderr);

/** Kills an upgrade during its last migration. */
async function killInTheMiddle({ flags, settings, withStore }: Old): Promise<void> {
  if (ENGINE === "sqlite") {
    await withStore(({ admin }) =>
      admin.exec(`create trigger endless before update on owners begin select (${ENDLESS}); end`),
    );
    const { child, ended } = startReeve(["migrate"], flags);
    await waitFor("the copy", () => existsSync(join(settings.dataDir, "copies/before-schema-2.db")));
    while (!isWriteLocked(sqliteFile(settings))) await setImmediate();
    child.kill("SIGKILL");
    await ended;
    await withStore(({ admin }) => admin.exec("drop trigger endless"));
    return;
  }
  const session = new pg.Client({ connectionString: settings.databaseUrl as string });
  await session.connect();
  await session.query("begin; lock table events in access exclusive mode");
  const { child, ended } = startReeve(["migrate"], flags);
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await waitFor("the upgrade to wait", () =>
    withStore(async ({ admin }) => (await admin.query(waiting)).length > 0 || undefined),
  );
  child.kill("SIGKILL");
  await ended;
  await session.query("rollback");
  await session.end();
}

test("an upgrade that is killed during its changes has no effect", async () => {
  const old = await createOld();
  await killInTheMiddle(old);
  assert.equal(await checkWhole(old), 1);
  await checkStart(old);
});

test(`an upgrade that is killed ${KILLS} times is atomic`, async () => {
  const found = { notDone: 0, done: 0 };
  let old = await createOld();
  for (let kill = 1; kill <= KILLS; kill++) {
    const { child, ended } = startReeve(["migrate"], old.flags);
    await setTimeout(randomInt(Math.ceil(takesMs)));
    child.kill("SIGKILL");
    await ended;
    if ((await checkWhole(old)) === 1) found.notDone++;
    else {
      found.done++;
      if (kill < KILLS) old = await createOld();
    }
  }
  await checkStart(old);
  console.log(`${ENGINE}: an upgrade of ${Math.round(takesMs)} ms killed ${KILLS} times: ${JSON.stringify(found)}`);
});
