// Master keys as an operator handles them: starting with and without them, changing to another one, retiring.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Flags } from "../../src/config.ts";
import { parseGivenKeys } from "../../src/keyring/keyring.ts";
import { readSettings } from "../../src/config.ts";
import { activateKey } from "../../src/resources/master-keys/activate.ts";
import { actOnCommandLine } from "../../src/resources/users/system.ts";
import { openDatabase } from "../../src/runtime/backend.ts";
import { ENGINE, createStorage } from "../harness.ts";
import type { Body } from "../harness.ts";
import { runReeve, serveReeve, startReeve, stopReeve } from "./reeve-process.ts";
import type { Ended, RunningServer } from "./reeve-process.ts";

const adminToken = "an_administrators_token_of_this_test_file";
const newText = () => randomBytes(32).toString("base64");
const idOf = (text: string) => parseGivenKeys(text, "the test")[0]?.id as string;

/** Settings of an empty database, and where the key file of its data directory would lie. */
async function createSettings(): Promise<{ readonly settings: Flags; readonly keyFile: string }> {
  const storage = await createStorage();
  after(() => storage.remove());
  const settings = { bootstrapToken: adminToken, ...storage.flags };
  return { settings, keyFile: join(settings.dataDir as string, "master.key") };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-keys-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function call(server: RunningServer, method: string, path: string, body?: unknown) {
  const response = await fetch(`${server.url}/v2/secrets${path}`, {
    method,
    headers: {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function addSecret(server: RunningServer, name: string): Promise<void> {
  const created = await call(server, "POST", "", { name, value: `value of ${name}`, decryptable: true });
  assert.equal(created.status, 200, JSON.stringify(created.body));
}

async function reveal(server: RunningServer, name: string): Promise<string> {
  return (await call(server, "GET", `/${name}?decrypt=true`)).body.value;
}

async function status(settings: Flags): Promise<Body[]> {
  const { code, stdout, stderr } = await runReeve(["keys", "status", "--json"], settings);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout).keys;
}

function assertRefusal({ code, stdout, stderr }: Ended, expected: number, message: RegExp): void {
  assert.equal(code, expected, stderr);
  assert.match(stderr, message);
  assert.match(stderr, /^reeve: [^\n]+\n$/);
  assert.equal(stdout, "");
}

/** The first run on PostgreSQL only makes the key: other servers may have to get it first. */
async function rotate(settings: Flags): Promise<Body> {
  let ended = await runReeve(["keys", "rotate", "--json"], settings);
  if (ENGINE === "postgres" && ended.code === 3) {
    assert.match(ended.stderr, /made the master key mk_\w+ in .* and did not activate it yet/);
    ended = await runReeve(["keys", "rotate", "--json"], settings);
  }
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout);
}

test("a key of Reeve's own is made once, rotated, and retired when nothing needs it", async () => {
  const { settings, keyFile } = await createSettings();
  const server = await serveReeve(settings);
  await addSecret(server, "first");
  const [before] = await status(settings);
  assert.deepEqual(before, { id: before.id, active: true, values: 1, sources: [keyFile] });
  assertRefusal(await runReeve(["keys", "retire", before.id], settings), 3, /is the active master key/);
  assertRefusal(await runReeve(["keys", "retire", "mk_0"], settings), 3, /has no key mk_0/);

  const rotation = await rotate(settings);
  const { activeKeyId } = rotation;
  assert.notEqual(activeKeyId, before.id);
  assert.deepEqual(rotation, {
    activeKeyId,
    previousKeyId: before.id,
    rewrapped: 1,
    failed: [],
    keys: [{ id: activeKeyId, values: 1 }],
  });
  // The server that was running all along finds the new key by itself.
  assert.equal(await reveal(server, "first"), "value of first");
  await addSecret(server, "second");
  assert.deepEqual(await status(settings), [
    { id: activeKeyId, active: true, values: 2, sources: [keyFile] },
    { id: before.id, active: false, values: 0, sources: [keyFile] },
  ]);
  const examined = await runReeve(["doctor", "--json"], settings);
  assert.equal(JSON.parse(examined.stdout).findings.at(-1).detail, `${activeKeyId} is active and seals all 2 values`);

  const retired = await runReeve(["keys", "retire", before.id, "--json"], settings);
  assert.deepEqual(JSON.parse(retired.stdout), { id: before.id, removedFrom: keyFile, remainsIn: [] });
  assert.equal((await status(settings)).length, 1);
  assert.equal((await stopReeve(server)).code, 0);
  const again = await serveReeve(settings);
  assert.equal(await reveal(again, "second"), "value of second");
  await stopReeve(again);

  const database = await openDatabase(readSettings(settings, {}));
  const [event] = await database.admin.query(
    "select type, via, payload from events where owner_id = 'instance' order by sequence desc limit 1",
  );
  await database.close();
  assert.equal(event?.["type"], "master-key-activate");
  assert.equal(event?.["via"], "cli");
  assert.deepEqual(JSON.parse(String(event?.["payload"])), { keyId: activeKeyId, previousKeyId: before.id });
  assert.equal((await runReeve(["events", "verify"], settings)).code, 0);
});

test("the first start says loudly that the new key is to be backed up, and no other one does", async () => {
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

test("keys of the settings are the operator's: none is made, and one is rotated once every server has it", async () => {
  const { settings, keyFile } = await createSettings();
  const [oldKey, newKey] = [newText(), newText()];
  const [oldId, newId] = [idOf(oldKey), idOf(newKey)];
  const withOld = { ...settings, masterKey: oldKey };
  const server = await serveReeve(withOld);
  await addSecret(server, "kept");
  assert.equal(existsSync(keyFile), false);
  assertRefusal(await runReeve(["keys", "rotate"], withOld), 3, /first in REEVE_MASTER_KEY of every server/);
  const unknown = await runReeve(["keys", "rotate", "--to", newId], withOld);
  assertRefusal(unknown, 3, new RegExp(`^reeve: --to: the keyring has no key ${newId}; it has ${oldId}\n`));
  assert.deepEqual(await status(withOld), [{ id: oldId, active: true, values: 1, sources: ["REEVE_MASTER_KEY"] }]);
  assert.equal(existsSync(keyFile), false);

  // Somebody rotates before this server has the key: it refuses what it can't do, by name, and does the rest.
  const withBoth = { ...settings, masterKey: `${newKey},${oldKey}` };
  assert.equal((await rotate(withBoth)).activeKeyId, newId);
  for (const [method, path, body] of [
    ["GET", "/kept?decrypt=true"],
    ["POST", "", { name: "another", value: "x" }],
    ["POST", "/generate", { name: "another" }],
    ["PUT", "/kept", { value: "x" }],
  ] as const) {
    const refused = await call(server, method, path, body);
    assert.equal(refused.status, 503, method);
    assert.equal(refused.body.error.code, "master_key_missing");
    assert.equal(refused.body.error.keyId, newId);
  }
  assert.equal((await call(server, "GET", "/kept")).status, 200);
  await stopReeve(server);
  const restarted = await serveReeve(withBoth);
  assert.equal(await reveal(restarted, "kept"), "value of kept");

  // Back to the old one, by name, and on again.
  const back = await runReeve(["keys", "rotate", "--to", oldId], withBoth);
  assert.equal(back.code, 0, back.stderr);
  assert.match(
    back.stdout,
    new RegExp(`^${oldId} is the active master key now; it was ${newId}\\.\nRewrapped 1 values\\.\n`),
  );
  assert.equal(back.stderr, "");
  assert.equal((await rotate(withBoth)).previousKeyId, oldId);
  const retired = await runReeve(["keys", "retire", oldId, "--json"], withBoth);
  assert.deepEqual(JSON.parse(retired.stdout), { id: oldId, removedFrom: null, remainsIn: ["REEVE_MASTER_KEY"] });
  await stopReeve(restarted);
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
  // As a rotation leaves it that was stopped before its first value.
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

test("a first start that can't read its keys makes no database", async () => {
  const folder = temporaryFolder();
  const masterKeyFile = join(folder, "keys");
  writeFileSync(masterKeyFile, "hunter2\n");
  const dataDir = join(folder, "data");
  assertRefusal(await runReeve(["serve"], { dataDir, masterKeyFile }), 78, /keys, line 1: expected 32 bytes/);
  assert.deepEqual(readdirSync(folder), ["keys"]);
});

test("of two servers that start at once on an empty database with folders of their own, one makes the key", async () => {
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
