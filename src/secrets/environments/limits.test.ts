// What a credential that is limited to some environments or names can do with a project's environments, and what it cannot reach by them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openEnvironments } from "../../../test/resources/environments.ts";
import { openVault } from "../../../test/resources/secrets.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";

const app = await startTestApp();

async function open(limits: object) {
  const user = await app.createUser();
  const vault = openVault(app, user.token);
  const all = openEnvironments(app, user.token, "shop");
  await vault.add("other", { value: "of another project" });
  await all.set("production", { DB_URL: { value: "p" }, LEVEL: { value: "info" } });
  await all.set("preview", { DB_URL: { value: "q" }, LEVEL: { value: "debug" } });
  const { body } = await createKey(app, user.token, "", limits);
  return { all, limited: openEnvironments(app, body.value, "shop") };
}

test("an environment beside its own does not exist, and lends it nothing", async () => {
  const { limited } = await open({ environments: ["preview"] });
  const list = await limited.call("GET", "");
  assert.deepEqual(
    list.body.environments.map(({ name }: { name: string }) => name),
    ["preview"],
  );
  assert.equal((await limited.values("production")).status, 404);
  assert.deepEqual((await limited.values("preview")).body, { DB_URL: "q", LEVEL: "debug" });
  const change = await limited.change({ production: { remove: ["LEVEL"] } });
  assert.equal(change.status, 400);
  assert.match(change.body.error.message, /expected one of preview$/);
  const expected = await limited.change({ preview: { remove: ["LEVEL"] } }, { expectedVersions: { production: 1 } });
  assert.equal(expected.status, 400);
  // To inherit from it would be to read it.
  const inherited = await limited.call("PATCH", "/preview", { body: { inheritsFrom: "production" } });
  assert.equal(inherited.status, 403);
  assert.equal((await limited.call("POST", "", { body: { name: "own", inheritsFrom: "production" } })).status, 403);
});

test("a credential for projects or environments reads no secret through an entry of its own", async () => {
  for (const limits of [{ projects: ["shop"] }, { environments: ["preview"] }]) {
    const { limited } = await open(limits);
    const { status, body } = await limited.change({ preview: { set: { MINE: { secret: "other" } } } });
    assert.deepEqual([status, body.error.field], [403, "body.environments.preview.set.MINE.secret"]);
    assert.equal((await limited.change({ preview: { set: { MINE: { secretValue: "own" } } } })).status, 200);
    assert.equal((await limited.values("preview")).body.MINE, "own");
  }
});

test("a credential for a project brings back no secret that was taken away from it", async () => {
  const { all, limited } = await open({ projects: ["shop"] });
  await all.set("production", { SHARED: { secret: "other" }, OWN: { secretValue: "own" } });
  await all.change({ preview: { set: { SHARED: { secret: "other" } } } });
  await all.change({ production: { remove: ["SHARED", "OWN"] } });
  const rollBack = (one: typeof all, version: number) =>
    one.call("POST", "/production/rollback", { body: { version } });
  assert.equal((await rollBack(limited, 2)).status, 200, "preview has it still");
  await all.change({ production: { remove: ["SHARED", "OWN"] }, preview: { remove: ["SHARED"] } });
  const refused = await rollBack(limited, 2);
  assert.deepEqual([refused.status, refused.body.error.scope], [403, "limits"], refused.text);
  assert.match(refused.body.error.message, /SHARED of production would get a secret of which this credential knows/);
  const own = await all.set("production", { OWN: { secretValue: "own" } });
  await all.change({ production: { remove: ["OWN"] } });
  assert.equal((await rollBack(limited, own.version)).status, 200, "what was made for the entry is the project's");
  assert.equal((await rollBack(all, 2)).status, 200);
});

test("names bound what is seen, read and changed", async () => {
  const { all, limited } = await open({ names: ["DB_*"] });
  assert.deepEqual((await limited.values("preview")).body, { DB_URL: "q" });
  const { entries, entryCount } = (await limited.call("GET", "/preview")).body;
  assert.equal(entryCount, 1, "others are not counted");
  assert.deepEqual(
    entries.map(({ key }: { key: string }) => key),
    ["DB_URL"],
  );
  for (const change of [
    { set: { LEVEL: { value: "x" } } },
    { remove: ["LEVEL"] },
    { set: { DB_X: { secret: "other" } } },
  ]) {
    assert.ok((await limited.change({ preview: change })).status >= 400, JSON.stringify(change));
  }
  assert.equal((await limited.change({ preview: { set: { DB_URL: { value: "r" } } } })).status, 200);
  assert.deepEqual((await all.values("preview")).body, { DB_URL: "r", LEVEL: "debug" });
  // A name that it cannot see is not there.
  const named = await limited.values("preview", "names=LEVEL");
  assert.deepEqual([named.status, named.body.error.code], [409, "environment_incomplete"]);
});

test("one change stores 250 values as secrets, and no more", async () => {
  const { all } = await open({ projects: ["shop"] });
  const set = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`KEY_${at}`, { secretValue: `value ${at}` }]));
  const refused = await all.change({ development: { set: set(251) } });
  assert.deepEqual(
    [refused.status, refused.body.error.field],
    [400, "body.environments.development.set.KEY_250.secretValue"],
  );
  assert.equal((await all.change({ development: { set: set(250) } })).status, 200);
});

test("a value of an entry is never written to a secret that was named for it, whatever it had before", async () => {
  const { all } = await open({ projects: ["shop"] });
  await all.set("production", { A: { secretValue: "own" } });
  await all.set("production", { A: { secret: "other" }, B: { secret: "other" } });
  await all.set("production", { A: { secretValue: "new" } });
  const { A, B } = (await all.values("production")).body;
  assert.deepEqual([A, B], ["new", "of another project"]);
});
