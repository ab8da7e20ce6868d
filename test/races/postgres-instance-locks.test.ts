// Changes of the instance's own keys and of its first account wait for the instance's lock before they read or lock anything else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keySources } from "../../src/serve/config/data-paths.ts";
import { openKeyring } from "../../src/platform/keyring/keyring.ts";
import { replaceSigningKey } from "../../src/events/checkpoints/signing-key.ts";
import { activateKey } from "../../src/serve/master-keys/activate.ts";
import { activeKeyId } from "../../src/platform/keyring/sealing/active-key.ts";
import { bootstrapInstance } from "../../src/identity/tokens/bootstrap.ts";
import { systemAct } from "../../src/events/events/system.ts";
import type { WriteTx } from "../../src/platform/store/database.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { startOwnApp } from "../harness/test-app.ts";

const api = await startOwnApp();
const { clock, query, readEvents, settings, withStore } = api;

/** Runs work in a transaction while another session holds the instance's lock, and commits what happens meanwhile. */
function workBehindLock<T>(work: (tx: WriteTx) => Promise<T>, meanwhile: readonly string[]): Promise<T> {
  const change = () => withStore((store) => store.transaction(work));
  return changeBehindLock(api, { owner: "instance", change, meanwhile });
}

test("a new signing key names the one that it replaces, also when that was retired meanwhile", async () => {
  const keyring = openKeyring(keySources(settings));
  const replace = (tx: WriteTx) => replaceSigningKey(tx, keyring, systemAct(clock.now));
  await withStore((store) => store.transaction(replace));
  await workBehindLock(replace, ["update signing_keys set slot = null, retired_at = 1 where slot = 'active'"]);
  const replaced = (await readEvents("instance")).findLast(({ type }) => type === "signing-key-replace");
  assert.equal(replaced?.payload.previousKeyId, null);
});

test("a change of the active master key keeps what seals under the instance's lock from nothing", async () => {
  const before = await withStore((store) => store.transaction((tx) => activeKeyId(tx)));
  assert.ok(before !== null);
  const activate = (keyId: string) => (tx: WriteTx) => activateKey(tx, systemAct(clock.now), keyId);
  const previous = await workBehindLock(activate("mk_other"), ["select 1 from active_master_key for share"]);
  assert.equal(previous, before);
  await withStore((store) => store.transaction(activate(before)));
});

test("of two first starts at the same time, one makes the administrator", async () => {
  const [user = {}] = await query(`select * from users where id = '${api.admin.id}'`);
  await query("delete from users");
  const columns = Object.keys(user);
  const values = columns.map((name) => (user[name] === null ? "null" : `'${user[name] as string | number}'`));
  const started = await workBehindLock(
    (tx) => bootstrapInstance(tx, null, clock.now),
    [`insert into users (${columns.join()}) values (${values.join()})`],
  );
  assert.equal(started.isFirst, false);
});
