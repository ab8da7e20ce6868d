// The embedded store beside a program that copies its write-ahead log, as Litestream does: with its own tables, a read lock
// that prevents a restart of the log, and its own checkpoints.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { examine } from "../../src/cli/bodies/doctor.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { ENGINE, send, startOwnApp, uniqueName } from "../harness/test-app.ts";
import { folder } from "./world.ts";

const api = await startOwnApp();
const file = sqliteFile(api.settings);

/** Reading the log's file from this process would drop the locks that its connections hold. */
const copy = (from: string, to: string) => execFileSync("cp", [from, to]);

async function write(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const body = { name: uniqueName("SECRET"), value: "value", decryptable: true };
    const { status, text } = await api.request("POST", "/v2/secrets", { body });
    assert.equal(status, 200, text);
  }
}

/** The salts of the log's header change when it is begun anew. https://sqlite.org/fileformat2.html#walformat */
function readSalts(log: string): string {
  const bytes = Buffer.alloc(8);
  const opened = openSync(log, "r");
  readSync(opened, bytes, 0, 8, 16);
  closeSync(opened);
  return bytes.toString("hex");
}

function openReplicator() {
  const db = new DatabaseSync(file, { timeout: 5_000 });
  after(() => db.close());
  db.exec("create table if not exists _litestream_seq (id integer primary key, seq integer)");
  db.exec("create table if not exists _litestream_lock (id integer)");
  const lock = () => db.exec("begin; select count(*) from _litestream_seq");
  lock();
  let copies = 0;
  function copyLog(): string {
    const log = join(folder, `log-${copies++}`);
    copy(`${file}-wal`, log);
    return log;
  }
  return {
    copyLog,
    /** Checkpoints as Litestream does: it releases the lock for a moment, so the log may restart. */
    checkpoint(mode: "passive" | "truncate") {
      db.exec("rollback");
      db.exec(`pragma wal_checkpoint(${mode})`);
      db.exec("insert into _litestream_seq (id, seq) values (1, 1) on conflict (id) do update set seq = seq + 1");
      lock();
    },
  };
}

async function countSecrets(dataDir: string): Promise<number> {
  const database = await openDatabase(readSettings({ dataDir }, {}));
  const [row] = await database.admin.query("select count(*) as n from secrets");
  await database.close();
  return Number(row?.["n"]);
}

test("the log is kept for its reader, and database and log restore the store", async () => {
  if (ENGINE === "postgres") return;
  const { copyLog, checkpoint } = openReplicator();
  await write(1);
  const before = readSalts(copyLog());
  // Several times the size at which Reeve checkpoints by itself, with changes after each.
  for (let part = 0; part < 5; part++) {
    await api.query("create table if not exists ballast (bytes blob)");
    await api.withStore(({ admin }) => admin.exec("insert into ballast values (zeroblob(12000000))"));
    await write(4);
  }
  const log = copyLog();
  assert.ok(statSync(log).size > 2 * 4_000 * 4_096, "the log has grown");
  assert.equal(readSalts(log), before);

  const dataDir = join(folder, "restored");
  mkdirSync(dataDir);
  copy(file, join(dataDir, "reeve.db"));
  copy(`${file}-wal`, join(dataDir, "reeve.db-wal"));
  copy(join(api.settings.dataDir, "master.key"), join(dataDir, "master.key"));
  assert.equal(await countSecrets(dataDir), 21);
  assert.equal((await verifyEvents(readSettings({ dataDir }, {}))).firstFault, null);

  for (const mode of ["passive", "truncate"] as const) {
    // The service's reads of this turn are over.
    await setImmediate();
    checkpoint(mode);
    await write(3);
  }
  assert.notEqual(readSalts(copyLog()), before);
});

test("a server starts beside its tables, and the doctor finds nothing wrong", async () => {
  if (ENGINE === "postgres") return;
  const { checkpoint } = openReplicator();
  await api.app.close();
  const app = await api.startAnother();
  const secrets = await send(app, "GET", "/v2/secrets?limit=1", { token: api.admin.token });
  assert.equal(secrets.status, 200);
  checkpoint("passive");
  const findings = await examine(api.settings);
  assert.deepEqual(
    findings.filter(({ status }) => status === "fault"),
    [],
  );
});
