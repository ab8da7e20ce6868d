// Master keys when a server starts: created, found, or missing.
import assert from "node:assert/strict";
import { chmodSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readSettings } from "../../src/serve/config/config.ts";
import { activateKey } from "../../src/serve/master-keys/activate.ts";
import { actOnCommandLine } from "../../src/events/events/system.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { ENGINE } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import {
  addSecret,
  assertRefusal,
  createSettings,
  idOf,
  newText,
  reveal,
  status,
  temporaryFolder,
} from "./key-world.ts";
import { runReeve, serveReeve, startReeve, stopReeve } from "./reeve-process.ts";

test("the first start says loudly to back up the new key, and later starts do not", async () => {
  const { settings, keyFile } = await createSettings();
  const first = startReeve(["serve", "--port", "0"], settings);
  const [, file] = await first.printed(/^BACK THIS FILE UP, apart from the database: (.+)$/m);
  assert.equal(file, keyFile);
  assert.equal(statSync(keyFile).mode & 0o777, 0o600);
  const { stderr } = await stopReeve(first);
  const logged = stderr.split("\n").find((line) => line.includes("back this file up"));
  assert.equal(JSON.parse(logged ?? "{}").file, keyFile, stderr);

  const later = startReeve(["serve", "--port", "0"], settings);
  await later.printed(/^Data /m);
  const ended = await stopReeve(later);
  assert.doesNotMatch(`${ended.stdout}${ended.stderr}`, /back this file up/i);

  const other = await createSettings();
  const machine = await stopReeve(await serveReeve(other.settings));
  assert.equal(JSON.parse(machine.stdout).newKeyFile, other.keyFile);
  const given = await createSettings();
  const silent = await stopReeve(await serveReeve({ ...given.settings, masterKey: newText() }));
  assert.equal(JSON.parse(silent.stdout).newKeyFile, null);
});

test("a server that lacks a key, or has another, does not start and changes nothing", async () => {
  const { settings, keyFile } = await createSettings();
  const server = await serveReeve(settings);
  await addSecret(server, "kept");
  await stopReeve(server);
  const [{ id }] = (await status(settings)) as [Body];
  const text = readFileSync(keyFile, "utf8");
  const names = () => readdirSync(settings.dataDir as string).filter((name) => !/-(?:wal|shm)$/.test(name));

  rmSync(keyFile);
  const before = names();
  const explained = new RegExp(`the store is sealed with the master key ${id}, which the keyring lacks`);
  for (const command of ["serve", "worker"]) {
    for (const given of [{}, { masterKey: newText() }]) {
      assertRefusal(await runReeve([command, "--port", "0"], { ...settings, ...given }), 78, explained);
      assert.deepEqual(names(), before);
    }
  }
  assertRefusal(await runReeve(["keys", "rotate"], settings), 78, explained);
  const missing = await runReeve(["keys", "status"], settings);
  assert.equal(missing.code, 4);
  assert.match(missing.stdout, new RegExp(`^${id} +yes +1 +MISSING$`, "m"));
  const examined = await runReeve(["doctor"], settings);
  assert.equal(examined.code, 4);
  assert.match(examined.stdout, new RegExp(`^keys +fault +the store needs ${id}, which the keyring lacks$`, "m"));
  assert.deepEqual(names(), before);

  writeFileSync(keyFile, "hunter2\n", { mode: 0o600 });
  for (const command of ["serve", "worker"]) {
    const malformed = await runReeve([command, "--port", "0"], settings);
    assertRefusal(malformed, 78, /master\.key, line 1: expected 32 bytes as base64 or hex/);
    assert.doesNotMatch(malformed.stderr, /hunter2/);
  }
  assert.equal(readFileSync(keyFile, "utf8"), "hunter2\n");
  assertRefusal(
    await runReeve(["serve"], { ...settings, masterKey: "hunter2" }),
    78,
    /^reeve: REEVE_MASTER_KEY: .*7 char/,
  );
  const noFile = join(settings.dataDir as string, "absent");
  assertRefusal(await runReeve(["serve"], { ...settings, masterKeyFile: noFile }), 78, /there is no file .*absent/);

  writeFileSync(keyFile, text);
  chmodSync(keyFile, 0o644);
  const open = await runReeve(["doctor"], settings);
  assert.equal(open.code, 0);
  assert.match(open.stdout, /^keys +warning +others than its owner may read .*master\.key$/m);
  // A key file that is readable by a group, as in docs/deploy.md, is intended.
  chmodSync(keyFile, 0o640);
  if (process.getuid?.() === 0) assert.match((await runReeve(["doctor"], settings)).stdout, /^keys +ok /m);
  const restored = await serveReeve(settings);
  assert.equal(await reveal(restored, "kept"), "value of kept");
  await stopReeve(restored);
});

test("a server that has the active key and lacks one that old values need does not start either", async () => {
  const { settings } = await createSettings();
  const [oldKey, newKey] = [newText(), newText()];
  const [oldId, newId] = [idOf(oldKey), idOf(newKey)];
  const server = await serveReeve({ ...settings, masterKey: oldKey });
  await addSecret(server, "kept");
  await stopReeve(server);
  // The state after a rotation that stopped before its first value.
  const database = await openDatabase(readSettings(settings, {}));
  await database.transaction((tx) => activateKey(tx, actOnCommandLine(Date.now()), newId));
  await database.close();

  const explained = new RegExp(`sealed with the master key ${oldId}, which the keyring lacks .* it has ${newId}`);
  for (const command of ["serve", "worker"]) {
    assertRefusal(await runReeve([command, "--port", "0"], { ...settings, masterKey: newKey }), 78, explained);
  }
  const whole = await serveReeve({ ...settings, masterKey: `${newKey},${oldKey}` });
  assert.equal(await reveal(whole, "kept"), "value of kept");
  await stopReeve(whole);
});

test("a first start that cannot read its keys creates no database", async () => {
  const folder = temporaryFolder();
  const masterKeyFile = join(folder, "keys");
  writeFileSync(masterKeyFile, "hunter2\n");
  const dataDir = join(folder, "data");
  assertRefusal(await runReeve(["serve"], { dataDir, masterKeyFile }), 78, /keys, line 1: expected 32 bytes/);
  assert.deepEqual(readdirSync(folder), ["keys"]);
});

test("of two servers that start at once on an empty database with folders of their own, one creates the key", async () => {
  if (ENGINE === "sqlite") return;
  const { settings } = await createSettings();
  const folders = [temporaryFolder(), temporaryFolder()];
  const servers = folders.map((dataDir) =>
    startReeve(["serve", "--json", "--port", "0"], { logLevel: "error", ...settings, dataDir }),
  );
  const starts = await Promise.allSettled(servers.map((server) => server.printed(/^\{.*\}$/m)));
  const winner = starts.findIndex(({ status: outcome }) => outcome === "fulfilled");
  assert.equal(starts.filter(({ status: outcome }) => outcome === "fulfilled").length, 1);
  const loser = 1 - winner;
  const refused = await (servers[loser] as (typeof servers)[0]).ended;
  assert.equal(refused.code, 78, refused.stderr);
  assert.match(JSON.parse(refused.stderr).error.message, /which the keyring lacks/);
  assert.deepEqual(readdirSync(folders[loser] as string), []);
  assert.deepEqual(readdirSync(folders[winner] as string), ["master.key"]);
  await stopReeve(servers[winner] as (typeof servers)[0]);
});
