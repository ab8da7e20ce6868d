// Backups of a store in use: complete, consistent, readable by their owner only, and without leftover files.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openDatabase } from "../../src/serve/open-database.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { openSqlite } from "../../src/platform/store/sqlite/sqlite.ts";
import { ENGINE, startOwnApp, uniqueName } from "../harness/test-app.ts";
import { backUpTo, emptyStore, exportTo, folder, newFile, restore, verify } from "./world.ts";

const api = await startOwnApp();
const owner = await api.createUser();
const team = await api.createTeam(owner);
const { token } = owner;

async function addSecret(name = uniqueName("SECRET")): Promise<void> {
  const body = { name, value: `value of ${name}`, decryptable: true };
  const { status, text } = await api.request("POST", `/v2/secrets?teamId=${team.id}`, { token, body });
  assert.equal(status, 200, text);
}

for (const [what, write, ending] of [
  ["a backup", backUpTo, ".db"],
  ["a compressed backup", backUpTo, ".db.zst"],
  ["an export", exportTo, ".ndjson"],
] as const) {
  test(`${what} beside writers is consistent, sound, and opens with the keys`, async () => {
    const progress = { isOver: false };
    const file = newFile(ending);
    const before = await api.query("select count(*) as n from secrets");
    const made = write(api.settings, file).finally(() => (progress.isOver = true));
    while (!progress.isOver) await addSecret();
    const { rows, masterKeys } = await made;
    assert.equal(masterKeys.length, 1);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const report = await verify(api.settings, file);
    assert.equal(report.damage, null);
    assert.equal(report.rows, rows);
    assert.equal(report.chains?.firstFault, null);
    assert.equal(report.sealed?.unreadable, 0);
    assert.equal(report.sealed?.withoutKey, 0);
    assert.ok((report.sealed?.opened ?? 0) >= Number(before[0]?.["n"]));
    assert.deepEqual(report.missingKeys, []);
  });
}

test("an existing file is replaced only on request, and stays when that fails", async () => {
  for (const write of [backUpTo, exportTo]) {
    const file = newFile();
    writeFileSync(file, "precious");
    await assert.rejects(write(api.settings, file), { code: "file_exists" });
    assert.equal(readFileSync(file, "utf8"), "precious");
    assert.ok((await write(api.settings, file, true)).bytes > 1_000);
    assert.equal((await verify(api.settings, file)).damage, null);
    await assert.rejects(write(api.settings, join(folder, "missing", "file")), { code: "file_unusable" });
    const place = newFile();
    mkdirSync(place);
    await assert.rejects(write(api.settings, place, true), { code: "file_unusable" });
  }
  assert.deepEqual(
    readdirSync(folder).filter((name) => /unfinished|journal|-wal|-shm|plain/.test(name)),
    [],
  );
});

test("the same content has the same hash, and another one does not", async () => {
  const [first, second] = [await exportTo(api.settings), await exportTo(api.settings, newFile(".gz"))];
  assert.equal(first.content, second.content);
  assert.notEqual(first.sha256, second.sha256);
  await addSecret();
  assert.notEqual((await exportTo(api.settings)).content, first.content);
});

test("a copy is consistent however often others write between its steps", async () => {
  if (ENGINE === "postgres") return;
  const file = newFile(".db");
  const writer = await openDatabase(api.settings);
  const reader = openSqlite(join(api.settings.dataDir, "reeve.db"), "read");
  await writer.admin.exec("create table ballast (bytes blob)");
  await writer.admin.exec("create table steps (step integer)");
  await writer.admin.exec(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < 200)
      insert into ballast select randomblob(100000) from n`,
  );
  let steps = 0;
  await reader.copyTo?.(file, () => {
    // A copy that starts again at each of them would never end.
    if (++steps > 50) return;
    void writer.admin.exec(
      `insert into steps values (${steps}); update ballast set bytes = zeroblob(9) where rowid = 1`,
    );
  });
  assert.ok(steps > 2, `${steps} steps`);
  const copy = openSqlite(file, "still");
  assert.equal((await copy.admin.query("select count(*) as n from steps"))[0]?.["n"], 0);
  assert.equal((await copy.admin.query("pragma integrity_check"))[0]?.["integrity_check"], "ok");
  await copy.close();
  await reader.close();
  await writer.admin.exec("drop table ballast; drop table steps");
  await writer.close();
});

test("foreign tables are in no archive", async () => {
  await api.withStore(({ admin }) => admin.exec("create table _litestream_seq (id integer primary key, seq integer)"));
  const { file, rows } = await exportTo(api.settings);
  assert.doesNotMatch(readFileSync(file, "utf8"), /_litestream/);
  const settings = await emptyStore(api);
  assert.equal((await restore(settings, file)).rows, rows);
  assert.equal((await verifyEvents(settings)).firstFault, null);
});

test("no value of a secret is in a backup, in any form", async () => {
  const value = "unmistakable-value-of-a-secret";
  await addSecret(value);
  for (const write of [backUpTo, exportTo]) {
    const { file } = await write(api.settings, newFile());
    const content = readFileSync(file).toString("latin1");
    assert.ok(content.includes(value), "its name is there, which is no secret");
    assert.ok(!content.includes(`value of ${value}`));
    assert.ok(!content.includes(Buffer.from(`value of ${value}`).toString("base64").slice(0, 20)));
    assert.ok(!content.includes(Buffer.from(`value of ${value}`).toString("hex")));
  }
});
