// Changes of one project's environments at the same moment: no circle, no heir without its parent, no lost entry, and every version whole.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { Body, TestResponse } from "../harness/test-app.ts";
import { patiently } from "../harness/wait-for.ts";
import { openEnvironments } from "../resources/environments.ts";
import { openVault, outcome } from "../resources/secrets.ts";

const client = await startOwnApp();
const app = { ...client, request: patiently(client.request) };
const ROUNDS = 12;

async function open() {
  const user = await app.createUser();
  const env = openEnvironments(app, user.token, "shop");
  const create = (name: string, inheritsFrom: string | null = null) =>
    env.call("POST", "", { body: { name, inheritsFrom } });
  const inherit = (name: string, inheritsFrom: string | null) =>
    env.call("PATCH", `/${name}`, { body: { inheritsFrom } });
  return { env, create, inherit, remove: (name: string) => env.call("DELETE", `/${name}`), user };
}

const statuses = (responses: readonly TestResponse[]) => responses.map(({ status }) => status).toSorted();

test("environments that begin to inherit from each other at the same moment form no circle", async () => {
  const { env, create, inherit } = await open();
  const names = ["one", "two", "three"];
  for (const name of names) await create(name);
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) assert.equal((await inherit(name, null)).status, 200);
    const answers = await Promise.all(names.map((name, at) => inherit(name, names[(at + 1) % 3] as string)));
    assert.deepEqual(statuses(answers), [200, 200, 400]);
    for (const name of names) assert.equal((await env.values(name)).status, 200);
  }
});

test("an environment that is deleted while another one begins to inherit from it is there, or has no heir", async () => {
  const { env, create, inherit, remove } = await open();
  for (let round = 0; round < ROUNDS; round++) {
    const [parent, heir, born] = [`parent${round}`, `heir${round}`, `born${round}`];
    await create(parent);
    await create(heir);
    const [removed, ...others] = await Promise.all([remove(parent), inherit(heir, parent), create(born, parent)]);
    const isGone = removed?.status === 200;
    if (!isGone) assert.equal(outcome(removed), "environment_in_use");
    for (const answer of others) if (isGone) assert.equal(outcome(answer), "invalid_environment");
    const { environments } = (await env.call("GET", "")).body;
    const known = environments.map(({ name }: Body) => name);
    for (const { name, inheritsFrom } of environments as Body[]) {
      if (inheritsFrom !== null) assert.ok(known.includes(inheritsFrom), `${name} inherits from ${inheritsFrom}`);
      assert.equal((await env.values(name)).status, 200);
    }
    for (const name of [heir, born, parent]) await remove(name);
  }
});

test("entries that are set at the same moment are all there, each version with one more", async () => {
  const { env } = await open();
  const keys = Array.from({ length: 20 }, (_, at) => `KEY_${at}`);
  const answers = await Promise.all(
    keys.map((key, at) =>
      env.change({ production: { set: { [key]: at % 2 ? { value: key } : { secretValue: key } } } }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  assert.deepEqual((await env.values("production")).body, Object.fromEntries(keys.map((key) => [key, key])));
  for (let version = 1; version <= keys.length; version++) {
    const { entries, changeCount } = (await env.call("GET", `/production/versions/${version}`)).body;
    assert.deepEqual([entries.length, changeCount], [version, 1]);
  }
});

test("of changes that expect one version, one is made; of roll-backs too", async () => {
  const { env } = await open();
  await env.set("production", { A: { value: "1" } });
  const expected = { expectedVersions: { production: 1, preview: 0 } };
  const changes = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      env.change(
        { production: { set: { A: { value: `x${at}` } } }, preview: { set: { B: { value: "2" } } } },
        expected,
      ),
    ),
  );
  assert.deepEqual(statuses(changes), [200, 409, 409, 409, 409, 409]);
  assert.equal((await env.get("preview")).version, 1);
  const body = { version: 1, expectedVersion: 2 };
  const back = await Promise.all(Array.from({ length: 4 }, () => env.call("POST", "/production/rollback", { body })));
  assert.deepEqual(statuses(back), [200, 409, 409, 409]);
  assert.deepEqual((await env.values("production")).body, { A: "1" });
});

test("values that are read while their secrets are changed and deleted are whole, or refused", async () => {
  const { env, user } = await open();
  const vault = openVault(app, user.token);
  await vault.add("shared", { value: "0" });
  await env.set("production", { A: { secret: "shared" }, B: { secret: "shared" }, C: { value: "c" } });
  const reads = Array.from({ length: 30 }, () => env.values("production"));
  const writes = Array.from({ length: 10 }, (_, at) => vault.put("shared", { value: String(at + 1) }));
  const gone = vault.remove("shared");
  for (const { status, body } of await Promise.all(reads)) {
    if (status === 200) assert.ok(body.A === body.B && body.C === "c", JSON.stringify(body));
    else assert.equal(body.error.code, "environment_incomplete");
  }
  await Promise.all([...writes, gone]);
  assert.equal((await env.values("production")).status, 409);
});
