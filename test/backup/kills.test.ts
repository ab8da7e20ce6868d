// Commands that are killed in the middle: the previous file, or store, stays, and the next run succeeds. Commands that are told
// to stop remove their temporary files.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, test } from "node:test";
import { setImmediate, setTimeout } from "node:timers/promises";
import pg from "pg";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import type { Settings } from "../../src/serve/config/config.ts";
import { verifyBackup } from "../../src/serve/backup/verify-backup.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { listTables } from "../../src/platform/store/tables/inventory.ts";
import { SCHEMA_VERSION } from "../../src/platform/store/migrations/migrate.ts";
import { runReeve, startReeve } from "../cli/reeve-process.ts";
import { ENGINE, START_TIME, createStorage, startOwnApp } from "../harness/test-app.ts";
import { plantEvents } from "../resources/planted-events.ts";
import { exportTo, folder, newFile, restore, verify } from "./world.ts";

const BALLAST_ROWS = 2_000;
const api = await startOwnApp();
await api.createTeam(await api.createUser(), "acme");
const small = await exportTo(api.settings);
await api.withStore(async (store) => {
  const table = listTables(SCHEMA_VERSION).find(({ name }) => name === "mails");
  assert.ok(table);
  const payload = JSON.stringify({ text: "ballast ".repeat(2_000) });
  const rows = Array.from({ length: BALLAST_ROWS }, (_none, at) => {
    const mail: Readonly<Record<string, string | number>> = {
      id: `mail_${at}`,
      kind: "x",
      recipient: "nobody@example.com",
      payload,
      attempts: 0,
      due_at: 2 ** 52,
      created_at: at,
    };
    return table.columns.map(({ name }) => mail[name] ?? null);
  });
  await store.transaction((tx) => tx.insertRows(table, rows));
});
const large = await exportTo(api.settings);
const { dataDir, databaseUrl } = api.settings;
const source = databaseUrl === null ? { dataDir } : { dataDir, databaseUrl };

async function waitUntil(isSo: () => boolean | Promise<boolean>, isOver: () => boolean): Promise<void> {
  while (!(await isSo())) {
    assert.ok(!isOver(), "it ended before it could be killed");
    // Without a pause this process takes a core from the one that it waits for.
    await setTimeout(1);
  }
}

/** The temporary files of a file that is or was being written. */
function listUnfinished(file: string): readonly string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)) && name.includes(".unfinished"));
}

/** Whether an unfinished file has grown in a folder. */
function isBegun(place: string): boolean {
  return readdirSync(place).some((name) => {
    if (!name.endsWith(".unfinished")) return false;
    return (statSync(join(place, name), { throwIfNoEntry: false })?.size ?? 0) > 100_000;
  });
}

for (const command of ["backup", "export"] as const) {
  test(`a ${command} that is killed leaves the previous file, and the next one replaces it`, async () => {
    const file = newFile();
    writeFileSync(file, "precious");
    const args = [command, "--to", file, "--force", "--json"];
    const killed = startReeve(args, source);
    await waitUntil(
      () => isBegun(dirname(file)),
      () => killed.child.exitCode !== null,
    );
    killed.child.kill("SIGKILL");
    assert.equal((await killed.ended).code, null);
    assert.equal(readFileSync(file, "utf8"), "precious");
    assert.ok(listUnfinished(file).length > 0);
    const { code, stdout, stderr } = await runReeve(args, source);
    assert.equal(code, 0, stderr);
    assert.equal(JSON.parse(stdout).rows, large.rows);
    const report = await verify(api.settings, file);
    assert.equal(report.rows, large.rows);
    assert.equal(report.chains?.firstFault, null);
    assert.deepEqual(listUnfinished(file), []);
  });
}

test("files that another process is writing stay, and so do files with similar names", async () => {
  const file = newFile();
  const alive = startReeve(["serve", "--port", "0"], source);
  const names = [
    `${file}.${alive.child.pid}-${randomUUID()}-0.unfinished`,
    `${file}.${process.pid}.unfinished`,
    `${file}x.${2 ** 22 + 1}-${randomUUID()}-0.unfinished`,
  ];
  const left = `${file}.${2 ** 22 + 1}-${randomUUID()}-0.unfinished-plain`;
  for (const name of [...names, left]) writeFileSync(name, "");
  await exportTo(api.settings, file);
  alive.child.kill("SIGKILL");
  await alive.ended;
  assert.deepEqual(listUnfinished(file).toSorted(), names.map((name) => basename(name)).toSorted());
});

/** Resolves when a restore has begun to fill the store. */
async function awaitFilling(settings: Settings, isOver: () => boolean): Promise<void> {
  if (ENGINE === "sqlite") {
    await waitUntil(() => isBegun(dirname(sqliteFile(settings))), isOver);
    return;
  }
  const name = new URL(settings.databaseUrl as string).pathname.slice(1);
  const client = new pg.Client({ connectionString: process.env["REEVE_TEST_DATABASE_URL"] });
  await client.connect();
  const sql =
    "select 1 from pg_stat_activity where datname = $1 and application_name = 'reeve-2' and query like 'copy mails%'";
  await waitUntil(async () => (await client.query(sql, [name])).rows.length > 0, isOver);
  await client.end();
}

async function countMails(settings: Settings): Promise<number> {
  const database = await openDatabase(settings);
  const [row] = await database.admin.query("select count(*) as n from mails");
  await database.close();
  return Number(row?.["n"]);
}

test("a restore that is killed leaves the previous store, and the next one replaces it", async () => {
  const storage = await createStorage();
  after(storage.remove);
  const settings = { ...api.settings, ...storage.flags } as Settings;
  await restore(settings, small.file);
  const args = ["restore", large.file, "--replace", "--json"];
  const killed = startReeve(args, storage.flags);
  await awaitFilling(settings, () => killed.child.exitCode !== null);
  killed.child.kill("SIGKILL");
  assert.equal((await killed.ended).code, null);
  assert.equal(await countMails(settings), 0);
  assert.equal((await exportTo(settings)).content, small.content);
  const { code, stdout, stderr } = await runReeve(args, storage.flags);
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).rows, large.rows);
  assert.equal((await exportTo(settings)).content, large.content);
  if (ENGINE === "sqlite") assert.deepEqual(listUnfinished(sqliteFile(settings)), []);
});

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  test(`${signal} ends a verification, which leaves nothing in the temporary folder`, async () => {
    const place = join(folder, signal);
    mkdirSync(place);
    const ended = startReeve(["restore", large.file, "--verify"], {}, { TMPDIR: place });
    const isFilled = () =>
      readdirSync(place, { recursive: true, withFileTypes: true }).some(
        ({ parentPath, name }) => name === "reeve.db" && statSync(join(parentPath, name)).size > 1_000_000,
      );
    await waitUntil(isFilled, () => ended.child.exitCode !== null);
    ended.child.kill(signal);
    const { code, stdout } = await ended.ended;
    assert.deepEqual([code, ended.child.signalCode, stdout], [null, signal, ""]);
    assert.deepEqual(readdirSync(place), []);
  });
}

test("signals are handled while chains are verified", async () => {
  const { user } = (await api.request("GET", "/v2/user")).body;
  await api.withStore((store) =>
    plantEvents(
      store,
      user.id,
      START_TIME,
      Array.from({ length: 3_000 }, () => ({})),
    ),
  );
  const { file } = await exportTo(api.settings);
  const { events } = await verifyEvents(api.settings);
  let turns = 0;
  const heard: number[] = [];
  const onProgress = (_done: number, total: number) => {
    if (total !== events) return;
    heard.push(turns);
    void setImmediate().then(() => turns++);
  };
  await verifyBackup(api.settings, file, onProgress, Date.now);
  assert.ok(heard.length > 3);
  assert.ok((heard.at(-1) as number) > 3, heard.join(" "));
});
