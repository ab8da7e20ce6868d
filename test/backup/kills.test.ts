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
import type { TestStorage } from "../harness/test-app.ts";
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

type Started = ReturnType<typeof startReeve>;

/**
 * Kills a command while it is at work. On a busy machine it may end between two looks; then it starts again, after `prepare`.
 */
async function killAtWork(
  { prepare, start, isAtWork }: { prepare(): unknown; start(): Started; isAtWork(): boolean | Promise<boolean> },
  signal: NodeJS.Signals = "SIGKILL",
): Promise<Awaited<Started["ended"]>> {
  for (let time = 0; time < 20; time++) {
    await prepare();
    const started = start();
    // Without a pause this process takes a core from the one that it waits for.
    while (started.child.exitCode === null && !(await isAtWork())) await setTimeout(1);
    started.child.kill(signal);
    const ended = await started.ended;
    if (started.child.signalCode === signal) return ended;
  }
  return assert.fail("it always ended before it could be killed");
}

/** The temporary files of a file that is or was being written. */
function listUnfinished(file: string): readonly string[] {
  return readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)) && name.includes(".unfinished"));
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Whether an unfinished file has grown in a folder. */
function isBegun(place: string): boolean {
  return readdirSync(place).some((name) => {
    if (!name.endsWith(".unfinished")) return false;
    return sizeOf(join(place, name)) > 100_000;
  });
}

for (const command of ["backup", "export"] as const) {
  test(`a ${command} that is killed leaves the previous file, and the next one replaces it`, async () => {
    const file = newFile();
    const args = [command, "--to", file, "--force", "--json"];
    await killAtWork({
      prepare: () => writeFileSync(file, "precious"),
      start: () => startReeve(args, source),
      isAtWork: () => isBegun(dirname(file)),
    });
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

/** Whether a restore has begun to fill the store. */
async function isFilling(settings: Settings): Promise<boolean> {
  if (ENGINE === "sqlite") return isBegun(dirname(sqliteFile(settings)));
  const name = new URL(settings.databaseUrl as string).pathname.slice(1);
  const client = new pg.Client({ connectionString: process.env["REEVE_TEST_DATABASE_URL"] });
  await client.connect();
  const sql =
    "select 1 from pg_stat_activity where datname = $1 and application_name = 'reeve-2' and query like 'copy mails%'";
  const { rows } = await client.query(sql, [name]);
  await client.end();
  return rows.length > 0;
}

async function countMails(settings: Settings): Promise<number> {
  const database = await openDatabase(settings);
  const [row] = await database.admin.query("select count(*) as n from mails");
  await database.close();
  return Number(row?.["n"]);
}

test("a restore that is killed leaves the previous store, and the next one replaces it", async () => {
  const args = ["restore", large.file, "--replace", "--json"];
  let storage!: TestStorage;
  let settings!: Settings;
  await killAtWork({
    async prepare() {
      storage = await createStorage();
      after(storage.remove);
      settings = { ...api.settings, ...storage.flags } as Settings;
      await restore(settings, small.file);
    },
    start: () => startReeve(args, storage.flags),
    isAtWork: () => isFilling(settings),
  });
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
    const { code, stdout } = await killAtWork(
      {
        prepare: () => assert.deepEqual(readdirSync(place), []),
        start: () => startReeve(["restore", large.file, "--verify"], {}, { TMPDIR: place }),
        isAtWork: () =>
          readdirSync(place, { recursive: true, withFileTypes: true }).some(
            ({ parentPath, name }) => name === "reeve.db" && sizeOf(join(parentPath, name)) > 1_000_000,
          ),
      },
      signal,
    );
    assert.deepEqual([code, stdout], [null, ""]);
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
