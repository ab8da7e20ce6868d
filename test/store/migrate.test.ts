// Migrates a database: by several processes at once, after a newer Reeve, and with a copy of the previous state.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import pg from "pg";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Settings } from "../../src/serve/config/config.ts";
import type { Database, WriteTx } from "../../src/platform/store/database.ts";
import { SCHEMA_VERSION, migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import type { MigrationStep } from "../../src/platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import type { Migration } from "../../src/platform/store/migrations/migration.ts";
import { openSqlite } from "../../src/platform/store/sqlite/sqlite.ts";
import { ENGINE, createStorage } from "../harness/test-app.ts";
import type { TestStorage } from "../harness/test-app.ts";

const run = promisify(execFile);
const PROCESSES = 4;

let storage: TestStorage;
let settings: Settings;
let database: Database;
beforeEach(async () => {
  storage = await createStorage();
  settings = readSettings(storage.flags, {});
  database = await openDatabase(settings);
});
afterEach(async () => {
  await database.close();
  await storage.remove();
});

test("each file of a migration is in the list", () => {
  const folder = join(import.meta.dirname, "../../src/platform/store/migrations");
  const files = readdirSync(folder).flatMap((name) => /^\d+/.exec(name) ?? []);
  assert.deepEqual(
    MIGRATIONS.map(({ version }) => String(version).padStart(4, "0")),
    files.toSorted(),
    "name each file in migrations.ts",
  );
});

const file = () => (ENGINE === "sqlite" ? sqliteFile(settings) : null);

const first: Migration = {
  version: 1,
  name: "first",
  statements: () => ["create table things (id integer primary key)", "insert into things (id) values (1)"],
};
const second: Migration = {
  version: 2,
  name: "second",
  statements: () => ["alter table things add column name text", "update things set name = 'one'"],
};
const broken: Migration = {
  version: 2,
  name: "broken",
  statements: () => ["alter table things add column name text", "this is no sql"],
};

test("processes that start at the same moment on an empty store migrate it once", async () => {
  const script = join(import.meta.dirname, "migrate-process.ts");
  const runs = Array.from({ length: PROCESSES }, () => run(process.execPath, [script, JSON.stringify(storage.flags)]));
  const versions = (await Promise.all(runs)).map(({ stdout }) => Number(stdout));
  assert.deepEqual(versions, Array.from({ length: PROCESSES }).fill(SCHEMA_VERSION));
  const rows = await database.admin.query("select version from schema_migrations order by version");
  assert.deepEqual(
    rows.map((row) => Number(row["version"])),
    MIGRATIONS.map(({ version }) => version),
  );
});

test("a store of a newer Reeve is refused and left unchanged", async () => {
  await migrate(database, file(), 0);
  const version = SCHEMA_VERSION + 1;
  await database.admin.query(
    `insert into schema_migrations (version, name, applied_at) values (${version}, 'later', 0)`,
  );
  await assert.rejects(migrate(database, file(), 0), /has schema version .* start the newer Reeve/);
  assert.equal(await readSchemaVersion(database), version);
});

test("a migration tells each of its parts, and when they are committed", async () => {
  const told: string[] = [];
  const notices = {
    quietMs: 0,
    onMigration: ({ version, name, to, part, parts }: MigrationStep) =>
      void told.push(`${version} of ${to}: ${name}, ${part} of ${parts}`),
    onCommit: () => void told.push("commit"),
  };
  await migrate(database, file(), 0, [first], notices);
  assert.deepEqual(told, [], "of an empty store");
  const third = {
    version: 3,
    name: "third",
    statements: () => ["create index by_name on things (name)"],
    fill: async (tx: WriteTx) => await tx.exec("update things set name = 'two'"),
    derived: () => ["create view names as select name from things"],
  };
  await migrate(database, file(), 0, [first, second, third], notices);
  const ofThird = [1, 2, 3].map((part) => `3 of 3: third, ${part} of 3`);
  assert.deepEqual(told, ["2 of 3: second, 1 of 2", "2 of 3: second, 2 of 2", ...ofThird, "commit"]);
});

test("an up-to-date store is not changed", async () => {
  await migrate(database, file(), 0);
  assert.deepEqual(await migrate(database, file(), 0), { from: SCHEMA_VERSION, to: SCHEMA_VERSION, copy: null });
});

test("only its owner can read a store, also where others may enter its folder", async () => {
  if (ENGINE === "postgres") return;
  chmodSync(settings.dataDir, 0o755);
  await migrate(database, file(), 0, [first]);
  await migrate(database, file(), 0, [first, second]);
  const names = readdirSync(settings.dataDir).filter((name) => name.startsWith("reeve.db"));
  assert.deepEqual(names, ["reeve.db", "reeve.db-shm", "reeve.db-wal"]);
  for (const name of [...names, "copies/before-schema-2.db"]) {
    assert.equal(statSync(join(settings.dataDir, name)).mode & 0o777, 0o600, name);
  }
});

test("an upgrade copies the store before it changes it, on SQLite", async () => {
  assert.equal((await migrate(database, file(), 0, [first])).copy, null);
  const { copy, ...versions } = await migrate(database, file(), 0, [first, second]);
  assert.deepEqual(versions, { from: 1, to: 2 });
  assert.deepEqual({ ...(await database.admin.query("select * from things"))[0] }, { id: 1, name: "one" });
  if (ENGINE === "postgres") {
    assert.equal(copy, null);
    return;
  }
  assert.ok(copy !== null && existsSync(copy));
  const before = openSqlite(copy);
  assert.deepEqual({ ...(await before.admin.query("select * from things"))[0] }, { id: 1 });
  await before.close();
});

test("an upgrade sorts in files beside the store, and not in memory", async () => {
  if (ENGINE === "postgres") return;
  await migrate(database, file(), 0, [first]);
  const read = async (name: string) => Object.values((await database.admin.query(`pragma ${name}`))[0] ?? {})[0];
  const inFiles = 1;
  assert.deepEqual([await read("temp_store"), await read("temp_store_directory")], [inFiles, settings.dataDir]);
});

test("the copy has the state before this upgrade, and not before an earlier one that was rolled back", async () => {
  if (ENGINE === "postgres") return;
  await migrate(database, file(), 0, [first]);
  await migrate(database, file(), 0, [first, second]);
  await database.admin.exec("alter table things drop column name; delete from schema_migrations where version = 2");
  await database.admin.exec("insert into things (id) values (2)");
  const { copy } = await migrate(database, file(), 0, [first, second]);
  const before = openSqlite(copy as string);
  assert.equal((await before.admin.query("select id from things")).length, 2);
  await before.close();
  assert.deepEqual(readdirSync(dirname(copy as string)), ["before-schema-2.db"]);
});

test("a migration that fails changes nothing", async () => {
  await migrate(database, file(), 0, [first]);
  await assert.rejects(migrate(database, file(), 0, [first, broken]));
  assert.equal(await readSchemaVersion(database), 1);
  assert.deepEqual({ ...(await database.admin.query("select * from things"))[0] }, { id: 1 });
});

test("a migration that waits for a lock tells who holds it, on PostgreSQL", async () => {
  if (ENGINE === "sqlite") return;
  const holder = new pg.Client({ connectionString: settings.databaseUrl as string, application_name: "forgotten" });
  await holder.connect();
  try {
    await migrate(database, file(), 0, [first]);
    for (const lock of ["select pg_advisory_xact_lock(7330833)", "lock table things in access exclusive mode"]) {
      await database.admin.exec(
        "alter table things drop column if exists name; delete from schema_migrations where version = 2",
      );
      await holder.query("begin");
      await holder.query(lock);
      const told = Promise.withResolvers<string>();
      const migration = migrate(database, file(), 0, [first, second], { onWait: told.resolve });
      const holders = await told.promise;
      await holder.query("commit");
      assert.equal((await migration).to, 2);
      assert.match(
        holders,
        /^session \d+ \(forgotten\) of \S+ from \S+, idle in transaction, in a transaction for \d+ s$/,
      );
    }
  } finally {
    await holder.end();
  }
});
