// A disk without space for the output of a command: the command fails by name, and leaves nothing.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { SCHEMA_VERSION, migrate, readSchemaVersion } from "../../src/platform/store/migrations/migrate.ts";
import { foundation } from "../../src/platform/store/migrations/0001-foundation.ts";
import { openSqlite } from "../../src/platform/store/sqlite/sqlite.ts";
import { runReeve, serveReeve } from "../cli/reeve-process.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { createSmallDisk } from "../harness/small-disk.ts";
import { NOW, backUpTo, emptyStore, exportTo, folder, newFile, restore } from "./world.ts";

/** Less than an empty store needs. */
const DISK_BYTES = 65_536;
const api = await startOwnApp();
const { dataDir, databaseUrl } = api.settings;
const source = ["--data-dir", dataDir, ...(databaseUrl === null ? [] : ["--database-url", databaseUrl])];

test("a command that fills the disk says so and leaves nothing", async () => {
  const place = join(folder, "small");
  mkdirSync(place);
  const disk = await createSmallDisk(place, DISK_BYTES);
  const { file: archive } = await exportTo(api.settings);
  const { file: backup } = await backUpTo(api.settings, newFile());
  await api.withStore(({ admin }) =>
    admin.exec(`insert into mails (id, kind, recipient, payload, due_at, created_at)
      values ('mail_1', 'x', 'x', '${Array.from({ length: 60_000 }, (_none, at) => at).join(" ")}', 0, 0)`),
  );
  for (const args of [
    ["backup", "--to", join(place, "x"), ...source],
    ["backup", "--to", join(place, "x.gz"), ...source],
    ["export", "--to", join(place, "x"), ...source],
    ["restore", archive, "--data-dir", place],
    ["restore", backup, "--data-dir", place],
  ]) {
    const { code, stderr } = await runReeve(args, {}, {}, disk.wrapper);
    assert.equal(code, 3, `${args[0]}: ${stderr}`);
    assert.match(stderr, /cannot write .*: .*the disk is full/);
    assert.deepEqual(readdirSync(disk.seen), []);
  }
});

test("doctor finds that nothing can be written", async () => {
  if (ENGINE === "postgres") return;
  const place = join(folder, "full");
  mkdirSync(place);
  const disk = await createSmallDisk(place, 8_388_608);
  const on = ["--data-dir", place];
  // Beside a server, whose log of the database is open: a command alone could not even open it.
  const server = await serveReeve({ dataDir: place }, {}, disk.wrapper);
  const examine = async () => {
    const { code, stdout } = await runReeve(["doctor", "--json", ...on], {}, {}, disk.wrapper);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string; detail: string }[] };
    return { code, writable: findings.find(({ check }) => check === "writable") };
  };
  assert.equal((await examine()).writable?.status, "ok");
  const before = readdirSync(disk.seen);
  disk.takeSpace();
  const { code, writable } = await examine();
  assert.deepEqual([code, writable?.status], [4, "fault"]);
  assert.match(writable?.detail ?? "", /disk is full/);
  assert.deepEqual(
    readdirSync(disk.seen).filter((name) => name !== "ballast"),
    before,
  );
  server.child.kill("SIGKILL");
  await server.ended;
});

test("a backup of an older schema is upgraded on a disk with room for the store only", async () => {
  if (ENGINE === "postgres") return;
  const old = await emptyStore(api);
  const database = await openDatabase(old);
  await migrate(database, null, NOW, [foundation]);
  await database.close();
  const { file } = await backUpTo(old, newFile());
  const roomy = await emptyStore(api);
  await restore(roomy, file);
  const { size } = statSync(sqliteFile(roomy));
  for (const [part, exitCode] of [
    [0.9, 3],
    [1.25, 0],
  ] as const) {
    const place = join(folder, `${part}`);
    mkdirSync(place);
    const disk = await createSmallDisk(place, Math.round(size * part));
    const { code, stderr } = await runReeve(["restore", file, "--data-dir", place], {}, {}, disk.wrapper);
    assert.equal(code, exitCode, stderr);
    assert.deepEqual(readdirSync(disk.seen), code === 0 ? ["reeve.db"] : []);
    if (code !== 0) continue;
    const copy = newFile(".db");
    cpSync(join(disk.seen, "reeve.db"), copy);
    const restored = openSqlite(copy, "still");
    assert.equal(await readSchemaVersion(restored), SCHEMA_VERSION);
    assert.deepEqual(
      (await restored.admin.query("pragma integrity_check")).map((row) => row["integrity_check"]),
      ["ok"],
    );
    await restored.close();
  }
});
