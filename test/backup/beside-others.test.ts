// Backups and restores beside other users of the same database: none of their data is lost, and none of it is mistaken for
// Reeve's.
import assert from "node:assert/strict";
import { cpSync, existsSync } from "node:fs";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import type { Settings } from "../../src/serve/config/config.ts";
import { createApp } from "../../src/serve/app.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { restoreStore } from "../../src/serve/backup/restore.ts";
import type { SnapshotTx } from "../../src/platform/store/database.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import { SCHEMA_VERSION } from "../../src/platform/store/migrations/migrate.ts";
import { openPostgres } from "../../src/platform/store/postgres/postgres.ts";
import type { Table } from "../../src/platform/store/tables/table.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { NOW, emptyStore, exportTo, linesOf, restore } from "./world.ts";

const api = await startOwnApp();
await api.createTeam(await api.createUser(), "acme");
const archive = await exportTo(api.settings);

async function start(settings: Settings) {
  return await createApp(settings, { clock: () => NOW, logger: createLogger("error", process.stdout) });
}

async function countRows(tx: SnapshotTx, name: string): Promise<number> {
  let count = 0;
  const table = listTables(SCHEMA_VERSION).find((known) => known.name === name) as Table;
  for await (const rows of tx.readRows(table)) count += rows.length;
  return count;
}

function withParameters(settings: Settings, parameters: Readonly<Record<string, string>>): Settings {
  const url = new URL(settings.databaseUrl as string);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { ...settings, databaseUrl: url.href };
}

/** A request of 1.5 s at most. */
const HURRIED = { statement_timeout: "1500", query_timeout: "1500" };

test("tables of another application stay, and nobody starts beside them", async () => {
  const settings = await emptyStore(api);
  const users = async (sql: string) => {
    const database = await openDatabase(settings);
    await database.admin.exec(sql);
    const rows = await database.admin.query("select id from users");
    await database.close();
    return rows.map((row) => row["id"]);
  };
  await users("create table users (id integer primary key); insert into users (id) values (7)");
  const message = /users.* already exists: .* database of its own/;
  await assert.rejects(start(settings), message);
  if (ENGINE === "postgres") {
    for (const replace of [false, true]) await assert.rejects(restore(settings, archive.file, { replace }), message);
  }
  assert.deepEqual(await users(""), [7]);
});

test("a store that was created meanwhile is kept, unless it is to be replaced", async () => {
  if (ENGINE === "postgres") return;
  const other = await emptyStore(api);
  await restore(other, archive.file);
  for (const replace of [false, true]) {
    const settings = await emptyStore(api);
    const file = sqliteFile(settings);
    const begin = () => {
      if (!existsSync(file)) cpSync(sqliteFile(other), file);
    };
    const request = { file: archive.file, replace, endCredentials: false, kinds: ["archive"] } as const;
    const restoring = restoreStore(settings, request, begin, () => NOW);
    if (replace) assert.ok(existsSync((await restoring).replaced as string));
    else await assert.rejects(restoring, { code: "store_exists" });
    assert.ok(existsSync(file));
  }
});

if (ENGINE === "postgres") {
  test("existing names are reported whatever language the server speaks", async () => {
    for (const [code, message] of [
      ["42P07", "Relation »owners« existiert bereits"],
      ["42710", "Typ »owners« existiert bereits"],
    ]) {
      const settings = await emptyStore(api);
      const database = await openDatabase(settings);
      await database.admin.exec(`create function refuse() returns event_trigger language plpgsql as $$ begin
        raise exception using errcode = '${code}', message = '${message}'; end $$;
      create event trigger refuse on ddl_command_end when tag in ('CREATE INDEX') execute function refuse()`);
      await database.close();
      await assert.rejects(start(settings), {
        message: `cannot make the schema: ${message}: Reeve needs a database of its own`,
      });
    }
  });

  test("a server that uses the store is found under any host name of its URL", async () => {
    const settings = await emptyStore(api);
    await restore(settings, archive.file);
    const app = await start(withParameters(settings, { application_name: "control-plane" }));
    await assert.rejects(restore(settings, archive.file, { replace: true }), /is in use: stop its server/);
    await app.close();
  });

  test("a session that ends a moment after its process is waited for", async () => {
    const settings = await emptyStore(api);
    const session = new pg.Client({ connectionString: settings.databaseUrl as string, application_name: "reeve" });
    await session.connect();
    const restoring = restore(settings, archive.file);
    await setTimeout(500);
    await session.end();
    assert.equal((await restoring).rows, archive.rows);
  });

  test("a scan of whole tables may take longer than a request", async () => {
    const { databaseUrl } = withParameters(api.settings, HURRIED);
    const database = await openPostgres(databaseUrl as string);
    const [row] = await database.snapshot((tx) => tx.query("select pg_sleep(2), 1 as one"));
    assert.equal(row?.["one"], 1);
    await database.close();
  });

  test("a scan of whole tables during a replacement waits longer than a request, and is complete", async () => {
    const settings = await emptyStore(api);
    await restore(settings, archive.file);
    const connectionString = settings.databaseUrl as string;
    const [holder, watcher] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
    await Promise.all([holder.connect(), watcher.connect()]);
    const untilWaiting = (count: number, seconds = 0) =>
      waitFor(`${count} to wait for a lock`, async () => {
        const { rowCount } = await watcher.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
            and query_start < clock_timestamp() - interval '${seconds} s'`,
        );
        return rowCount === count;
      });
    // Stops the restore while it removes the replaced store.
    await holder.query(`begin; lock table ${listTables(SCHEMA_VERSION).at(-1)?.name} in access share mode`);
    const waits: string[] = [];
    const request = { file: archive.file, replace: true, endCredentials: false, kinds: ["archive"] } as const;
    const restoring = restoreStore(
      settings,
      request,
      () => undefined,
      () => NOW,
      (holders) => waits.push(holders),
    );
    await untilWaiting(1);
    const hurried = withParameters(settings, { lock_timeout: "100", ...HURRIED });
    const exporting = exportTo(hurried);
    // Like an export that read the schema just before the restore.
    const database = await openDatabase(hurried);
    const reading = database.snapshot((tx) => countRows(tx, "users"));
    await untilWaiting(3, 2);
    await waitFor("the restore to say for whom it waits", () => waits.length > 0);
    await holder.end();
    await restoring;
    assert.equal(await reading, 2);
    await database.close();
    assert.deepEqual(linesOf((await exporting).file), linesOf(archive.file));
    await watcher.end();
    assert.equal(waits.length, 1);
    assert.match(waits[0] as string, /^session \d+ of .*, idle in transaction, in a transaction for \d+ s$/);
  });
}
