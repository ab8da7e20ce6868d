// Rotates the master key while the service is in use, and while the rotating command is killed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { keySources } from "../../src/serve/config/data-paths.ts";
import type { Flags } from "../../src/serve/config/config.ts";
import { activateKey } from "../../src/serve/master-keys/activate.ts";
import { systemAct } from "../../src/events/events/system.ts";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { addNewKey } from "../../src/platform/keyring/key-file.ts";
import { runReeve, startReeve } from "../cli/reeve-process.ts";
import type { Ended } from "../cli/in-process.ts";
import { ENGINE, START_TIME, send, startOwnApp } from "../harness/test-app.ts";
import type { Body, TestApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openVault } from "../resources/secrets.ts";
import type { Vault } from "../resources/secrets.ts";

const world: TestApp = await startOwnApp();
const { settings, query, withStore } = world;
const flags: Flags = {
  dataDir: settings.dataDir,
  ...(settings.databaseUrl === null ? {} : { databaseUrl: settings.databaseUrl }),
};
const { ownFile } = keySources(settings);

/** An account whose secrets belong to one test only. */
async function openAccount(): Promise<Vault> {
  return openVault(world, (await world.createUser()).token);
}

/** Adds secrets until there are `count`, a few at a time. */
async function fill(vault: Vault, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `secret-${at}`);
  const queue = [...names];
  const work = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) await vault.add(name);
  };
  await Promise.all(Array.from({ length: 16 }, work));
  return names;
}

/** Reveals every fourth value, the first one and so some of each batch: each takes an event. */
async function assertReadable(vault: Vault, names: readonly string[]): Promise<void> {
  for (const name of names.filter((_, at) => at % 4 === 0)) {
    const { status, body, text } = await vault.reveal(name);
    assert.equal(status, 200, text);
    assert.equal(body.value, `value of ${name}`);
  }
}

// The signing key exists from the beginning: the first rotation would otherwise create it, and a test counts it.
await world.app.runner.changes.checkpointDue(null, world.clock.now + 2 * DAY_MS);
assert.equal((await query("select id from signing_keys")).length, 1);

/** How many things are sealed under a key: secrets, and the signing key of checkpoints. */
async function countUnder(keyId: string): Promise<number> {
  const count = (table: string) => `(select count(*) from ${table} where key_id = '${keyId}')`;
  const [row] = await query(`select ${count("secret_versions")} + ${count("signing_keys")} as n`);
  return Number(row?.["n"]);
}

async function activeKey(): Promise<string> {
  const [row] = await query("select key_id from active_master_key");
  return String(row?.["key_id"]);
}

function resultOf({ code, stdout, stderr }: Ended, expectedCode = 0): Body {
  assert.equal(code, expectedCode, stderr);
  return JSON.parse(stdout);
}

const ROTATE = ["keys", "rotate", "--json"];

test("a rotation affects no reader or writer, and leaves no value under the old key", async () => {
  const vault = await openAccount();
  const second = await world.startAnother();
  const kept = await fill(vault, 1_200);
  const previous = await activeKey();
  addNewKey(ownFile);
  let isOver = false;
  const written: string[] = [];
  const user = await world.createUser();

  /** Uses both servers in turn until the rotation is over, and once more. */
  async function use(step: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0, isLast = false; !isLast; round++) {
      isLast = isOver;
      await step(round);
      await setImmediate();
    }
  }
  const call = async (round: number, method: string, path: string, body?: unknown) => {
    const app = round % 2 === 0 ? world.app : second;
    const response = await send(app, method, `/v2/secrets${path}`, {
      token: user.token,
      ...(body === undefined ? {} : { body }),
    });
    assert.equal(response.status, 200, response.text);
    return response.body;
  };
  await call(0, "POST", "", { name: "turning", value: "0", decryptable: true });
  const rotation = runReeve(ROTATE, flags).finally(() => (isOver = true));
  await Promise.all([
    use(async (round) => assertReadable(vault, [kept[(round * 7) % kept.length] as string])),
    use(async (round) => {
      const name = `made-${round}`;
      await call(round, "POST", "", { name, value: `value of ${name}`, decryptable: true });
      written.push(name);
    }),
    use(async (round) => {
      await call(round, "PUT", "/turning", { value: String(round) });
      assert.equal((await call(round + 1, "GET", "/turning?decrypt=true")).value, String(round));
    }),
  ]);
  const { activeKeyId, previousKeyId, failed, rewrapped, keys } = resultOf(await rotation);
  assert.equal(previousKeyId, previous);
  assert.deepEqual(failed, []);
  assert.ok(rewrapped >= kept.length);
  assert.deepEqual(
    keys.map(({ id }: Body) => id),
    [activeKeyId],
  );
  assert.ok(written.length > 2, "writers were at work");
  assert.equal(await countUnder(previous), 0);
  await assertReadable(vault, kept);
  await assertReadable(openVault(world, user.token), written);
  await second.close();
});

test("the next rotation finishes one that was killed", async () => {
  const vault = await openAccount();
  const names = await fill(vault, 1_700);
  const previous = await activeKey();
  const next = addNewKey(ownFile).id;
  const killed = startReeve(ROTATE, flags);
  while ((await countUnder(next)) === 0) {
    assert.equal(killed.child.exitCode, null);
    await setImmediate();
  }
  await withStore((store) =>
    store.transaction(async (tx) => {
      // The rotation waits for this transaction, whatever its step.
      if (ENGINE === "postgres") await tx.exec("lock table secret_versions in exclusive mode");
      killed.child.kill("SIGKILL");
      await killed.ended;
    }),
  );
  const left = await countUnder(previous);
  assert.ok(left > 0, "it was killed before it was done");
  assert.ok((await countUnder(next)) > 0, "it had begun");
  assert.equal(await activeKey(), next);
  await assertReadable(vault, names.slice(0, 50));
  await assertReadable(vault, names.slice(-50));

  const { activeKeyId, previousKeyId, rewrapped, keys } = resultOf(await runReeve(ROTATE, flags));
  assert.equal(activeKeyId, next);
  assert.equal(previousKeyId, null);
  assert.equal(rewrapped, left);
  assert.equal(keys.length, 1);
  assert.equal(await countUnder(previous), 0);
  await assertReadable(vault, names);
  const events = (await world.readEvents("instance")).filter(({ entityId }) => entityId === next);
  assert.deepEqual(
    events.map(({ type, payload }) => [type, payload]),
    [["master-key-activate", { keyId: next, previousKeyId: previous }]],
  );
});

test("values that cannot be decrypted block no other, are reported, and keep their key in use", async () => {
  // More than one batch, and first in order: ids begin with the time.
  const damaged = await openAccount();
  await fill(damaged, 510);
  const ids = (await query(`select max(id) as last from secrets`))[0] as Body;
  const vault = await openAccount();
  const names = await fill(vault, 3);
  const previous = await activeKey();
  // The wrapped key of another value: it has the right length, and is bound to another row.
  const write = (sql: string) => withStore((store) => store.transaction((tx) => tx.exec(sql)));
  const isDamaged = `secret_id <= '${ids.last}' and version = 1`;
  await write(`update secret_versions set wrapped_key = (
      select max(wrapped_key) from secret_versions where secret_id > '${ids.last}') where ${isDamaged}`);
  addNewKey(ownFile);
  const rotation = resultOf(await runReeve(ROTATE, flags), 4);
  const [{ n: count }] = (await query(`select count(*) as n from secret_versions where ${isDamaged}`)) as [Body];
  assert.ok(count > 500);
  assert.equal(rotation.failed.length, count);
  assert.deepEqual(rotation.failed.at(-1), { kind: "secret", id: ids.last, version: 1, keyId: previous });
  assert.deepEqual(rotation.keys.at(-1), { id: previous, values: count });
  assert.equal(await countUnder(rotation.activeKeyId), rotation.rewrapped);
  await assertReadable(vault, names);
  const refused = await runReeve(["keys", "retire", previous], flags);
  assert.equal(refused.code, 3);
  assert.match(refused.stderr, new RegExp(`${count} stored values still need`));
  // A second run retries only the remaining ones, under the same key.
  const again = resultOf(await runReeve(ROTATE, flags), 4);
  assert.equal(again.activeKeyId, rotation.activeKeyId);
  assert.equal(again.rewrapped, 0);
  assert.deepEqual(again.failed, rotation.failed);
  await write(`delete from secret_versions where ${isDamaged}`);
  assert.deepEqual(
    resultOf(await runReeve(["keys", "retire", previous, "--yes", "--json"], flags)).removedFrom,
    ownFile,
  );
});

test("a change of the key waits for the transactions that seal, and not for later ones", async () => {
  if (ENGINE === "sqlite") return;
  const previous = await activeKey();
  const next = addNewKey(ownFile).id;
  const vault = await openAccount();
  const changes: Promise<unknown>[] = [];

  /** Resolves when this many sessions wait for a lock. */
  const waiting = (count: number) =>
    waitFor(`${count} to wait for a lock`, async () => {
      const [row] = await query(
        "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return Number(row?.["n"]) === count;
    });
  await withStore((store) =>
    store.transaction(async (tx) => {
      // Locks the choice of the key, as a sealing transaction does.
      await tx.query("select key_id from active_master_key for share");
      changes.push(store.transaction((other) => activateKey(other, systemAct(START_TIME), next)));
      await waiting(1);
      changes.push(vault.add("later"));
      await waiting(2);
      assert.equal(await activeKey(), previous);
    }),
  );
  await Promise.all(changes);
  assert.equal(await activeKey(), next);
  assert.equal(await countUnder(next), 1);
});
