// Master keys as an operator uses them: rotation and retirement.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { Flags } from "../../src/serve/config/config.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { ENGINE } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import {
  addSecret,
  addWebhook,
  assertRefusal,
  call,
  createSettings,
  idOf,
  newText,
  reveal,
  status,
  testWebhook,
} from "./key-world.ts";
import { readKeyFile } from "../../src/platform/keyring/key-file.ts";
import { runReeve, serveReeve } from "./in-process.ts";
import { runReeve as runProcess } from "./reeve-process.ts";

/** The first run on PostgreSQL only creates the key: other servers may have to load it first. */
async function rotate(settings: Flags): Promise<Body> {
  let ended = await runReeve(["keys", "rotate", "--json"], settings);
  if (ENGINE === "postgres" && ended.code === 3) {
    assert.match(ended.stderr, /made the master key mk_\w+ in .* and did not activate it yet/);
    ended = await runReeve(["keys", "rotate", "--json"], settings);
  }
  assert.equal(ended.code, 0, ended.stderr);
  return JSON.parse(ended.stdout);
}

test("Reeve creates its own key once, rotates it, and retires it when nothing needs it", async () => {
  const { settings: ownSettings, keyFile } = await createSettings();
  const settings = { ...ownSettings, egressAllow: "127.0.0.1" };
  const server = await serveReeve(settings);
  await addSecret(server, "first");
  const webhookId = await addWebhook(server);
  const [before] = await status(settings);
  assert.deepEqual(before, { id: before.id, active: true, values: 2, sources: [keyFile] });
  assertRefusal(await runReeve(["keys", "retire", before.id], settings), 3, /is the active master key/);
  assertRefusal(await runReeve(["keys", "retire", "mk_0"], settings), 6, /has no key mk_0/);

  const rotation = await rotate(settings);
  const { activeKeyId } = rotation;
  assert.notEqual(activeKeyId, before.id);
  assert.deepEqual(rotation, {
    activeKeyId,
    previousKeyId: before.id,
    rewrapped: 2,
    failed: [],
    keys: [{ id: activeKeyId, values: 2 }],
  });
  // The running server finds the new key by itself.
  assert.equal(await reveal(server, "first"), "value of first");
  await addSecret(server, "second");
  assert.deepEqual(await status(settings), [
    { id: activeKeyId, active: true, values: 3, sources: [keyFile] },
    { id: before.id, active: false, values: 0, sources: [keyFile] },
  ]);
  const examined = await runReeve(["doctor", "--json"], settings);
  assert.equal(JSON.parse(examined.stdout).findings.at(-1).detail, `${activeKeyId} is active and seals all 3 values`);

  const sealedKey = readFileSync(keyFile, "utf8");
  // There is no terminal to ask on.
  assertRefusal(
    await runReeve(["keys", "retire", before.id], settings),
    2,
    /^reeve: --yes: expected it, .*: Retire the master key mk_\w+\? Backups made before \d{4}-.*Z, or while the rotation ran, cannot be read without it\.$/m,
  );
  assert.equal(readFileSync(keyFile, "utf8"), sealedKey);
  const retired = await runReeve(["keys", "retire", before.id, "--yes", "--json"], settings);
  const { since, ...done } = JSON.parse(retired.stdout);
  assert.deepEqual(done, { id: before.id, removedFrom: keyFile, keptIn: `${keyFile}.retired`, remainsIn: [] });
  assert.ok(Math.abs(since - Date.now()) < 600_000);
  assert.match(retired.stderr, /^Backups made before .* cannot be read without it\.$/m);
  const kept = readKeyFile(`${keyFile}.retired`)?.map(({ id }) => id);
  assert.deepEqual(kept, [before.id]);
  assert.equal((await status(settings)).length, 1);
  await server.stop();
  const again = await serveReeve(settings);
  assert.equal(await reveal(again, "second"), "value of second");
  assert.equal(await testWebhook(again, webhookId), "connect");
  await again.stop();

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

test("concurrent rotations lose no key that one of them created", async () => {
  const { settings, keyFile } = await createSettings();
  const server = await serveReeve(settings);
  await addSecret(server, "kept");
  const used = new Set<string>();
  for (let round = 0; round < 2; round++) {
    const rotations = Array.from({ length: 4 }, () => runProcess(["keys", "rotate", "--json"], settings));
    for (const { code, stdout, stderr } of await Promise.all(rotations)) {
      // On PostgreSQL the run that creates a key leaves its activation to the next run.
      const made = /made the master key (mk_\w+) in .* and did not activate it yet/.exec(stderr)?.[1];
      if (code !== 0 && made === undefined) assert.fail(stderr);
      used.add(made ?? JSON.parse(stdout).activeKeyId);
    }
  }
  const present = new Set(readKeyFile(keyFile)?.map(({ id }) => id));
  assert.deepEqual(
    [...used].filter((id) => !present.has(id)),
    [],
  );
  assert.equal(await reveal(server, "kept"), "value of kept");
  await server.stop();
});

test("keys of the settings are the operator's: Reeve creates none, and rotates once every server has the new key", async () => {
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

  // The key is rotated before this server has it: it refuses by name the calls that need the key, and serves the rest.
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
  await server.stop();
  const restarted = await serveReeve(withBoth);
  assert.equal(await reveal(restarted, "kept"), "value of kept");

  // Rotates back to the old key, by name, and to the new one again.
  const back = await runReeve(["keys", "rotate", "--to", oldId], withBoth);
  assert.equal(back.code, 0, back.stderr);
  assert.match(
    back.stdout,
    new RegExp(`^${oldId} is the active master key now; it was ${newId}\\.\nRewrapped 1 values\\.\n`),
  );
  assert.equal(back.stderr, "");
  assert.equal((await rotate(withBoth)).previousKeyId, oldId);
  const retired = await runReeve(["keys", "retire", oldId, "--yes", "--json"], withBoth);
  const { since: _since, ...done } = JSON.parse(retired.stdout);
  assert.deepEqual(done, { id: oldId, removedFrom: null, keptIn: null, remainsIn: ["REEVE_MASTER_KEY"] });
  await restarted.stop();
});
