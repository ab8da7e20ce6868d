import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { openEnvironments } from "../../../../test/resources/environments.ts";
import { openVault, outcome } from "../../../../test/resources/secrets.ts";

const app = await startTestApp();
const { createUser, readEvents } = app;

async function open() {
  const user = await createUser();
  const env = openEnvironments(app, user.token, "shop");
  const rollBack = (version: number, more: object = {}, headers = {}) =>
    env.call("POST", "/production/rollback", { body: { version, ...more }, headers });
  const dryRun = (version: number) =>
    env.call("POST", "/production/rollback", { body: { version }, query: "dryRun=true" });
  return { user, env, rollBack, dryRun, vault: openVault(app, user.token) };
}

test("each change is a version, and two of them can be compared", async () => {
  const { user, env } = await open();
  await env.set("production", { A: { value: "1" }, B: { value: "2" } });
  await env.change({ production: { set: { A: { value: "3" } }, remove: ["B"] } }, { note: "why" });
  assert.equal((await env.set("production", { A: { value: "3" } })).version, 2, "nothing differs, so no version");
  const { body } = await env.call("GET", "/production/versions");
  assert.deepEqual(
    body.versions.map(({ version, changeCount, note, createdBy }: Body) => [version, changeCount, note, createdBy.id]),
    [
      [2, 2, "why", user.id],
      [1, 2, null, user.id],
    ],
  );
  const one = (await env.call("GET", "/production/versions/1")).body;
  assert.deepEqual(
    one.entries.map(({ key, value }: Body) => `${key}=${value}`),
    ["A=1", "B=2"],
  );
  const diff = async (query = "") => {
    const { added, changed, removed, from, to } = (await env.call("GET", "/production/diff", { query })).body;
    const keys = [added, changed, removed].map((list) => list.map(({ key }: Body) => key).join());
    return [from, to, ...keys];
  };
  assert.deepEqual(await diff(), [1, 2, "", "A", "B"]);
  assert.deepEqual(await diff("from=0&to=1"), [0, 1, "A,B", "", ""]);
  assert.deepEqual(await diff("from=2&to=1"), [2, 1, "B", "A", ""]);
  for (const path of ["/production/versions/9", "/none/versions", "/none/diff", "/production/diff"]) {
    const { status } = await env.call("GET", path, path.endsWith("production/diff") ? { query: "to=9" } : {});
    assert.equal(status, 404, path);
  }
  assert.equal(outcome(await env.call("GET", "/production/versions", { query: "since=9&until=3" })), "invalid_cursor");
});

test("the list of versions says what the environment inherits from since each of them", async () => {
  const { env } = await open();
  const long = "a".repeat(32);
  await env.call("POST", "", { body: { name: long } });
  await env.set("production", { A: { value: '{"inheritsFrom":"x"' } });
  for (const inheritsFrom of [long, "preview", null]) {
    assert.equal((await env.call("PATCH", "/production", { body: { inheritsFrom } })).status, 200);
  }
  const { body } = await env.call("GET", "/production/versions");
  const listed = body.versions.map(({ version, changeCount, inheritsFrom }: Body) => [
    version,
    changeCount,
    inheritsFrom,
  ]);
  assert.deepEqual(listed, [
    [4, 0, null],
    [3, 0, "preview"],
    [2, 0, long],
    [1, 1, null],
  ]);
  for (const [version, , inheritsFrom] of listed) {
    assert.equal((await env.call("GET", `/production/versions/${version}`)).body.inheritsFrom, inheritsFrom);
  }
});

test("a roll-back is a new version with the old entries", async () => {
  const { user, env, rollBack } = await open();
  await env.set("production", { A: { value: "1" } });
  await env.change({ production: { set: { B: { value: "2" } }, remove: ["A"] } });
  const { status, body, headers } = await rollBack(1, { expectedVersion: 2, note: "back" });
  assert.deepEqual([status, body.previousVersion, body.version, headers["etag"]], [200, 2, 3, '"3"']);
  assert.deepEqual([body.added[0].key, body.removed[0].key], ["A", "B"]);
  assert.deepEqual((await env.values("production")).body, { A: "1" });
  assert.equal((await env.call("GET", "/production/versions/3")).body.restoredFrom, 1);
  const event = (await readEvents(user.id)).findLast(({ type }) => type === "environment-values-changed");
  assert.deepEqual([event?.payload.restoredFrom, event?.payload.added], [1, ["A"]]);
  const conflict = await rollBack(1, { expectedVersion: 2 });
  assert.deepEqual([outcome(conflict), conflict.body.error.currentVersion], ["version_conflict", 3]);
  const stale = await rollBack(1, {}, { "if-match": '"2"' });
  assert.deepEqual([outcome(stale), stale.headers["etag"]], ["revision_mismatch", '"3"']);
  assert.equal(outcome(await rollBack(9)), "not_found");
  assert.equal((await rollBack(1)).body.version, 3, "nothing differs, so no version");
});

test("a version whose secret is gone is not brought back until the secret is", async () => {
  const { env, rollBack, dryRun, vault } = await open();
  await vault.add("a");
  await env.set("production", { A: { secret: "a" } });
  await env.change({ production: { remove: ["A"] } });
  await vault.remove("a");
  const refused = await rollBack(1);
  assert.deepEqual(
    [refused.status, refused.body.error.code, refused.body.error.entries],
    [409, "environment_incomplete", [{ key: "A", secret: "a", reason: "deleted" }]],
  );
  assert.deepEqual((await dryRun(1)).body, refused.body);
  assert.deepEqual((await env.get("production")).version, 2);
  await vault.restore("a");
  const dry = await dryRun(1);
  assert.deepEqual([dry.body.version, dry.body.added[0].key], [2, "A"]);
  assert.deepEqual((await env.get("production")).version, 2, "a dry run changes nothing");
  assert.equal((await rollBack(1)).status, 200);
  assert.deepEqual((await env.values("production")).body, { A: "value of a" });
});

test("equal entries that are set together share an id, and no others do", async () => {
  const { env, rollBack } = await open();
  const set = (value: string) => ({ set: { A: { value } } });
  await env.change({ production: set("1"), preview: set("1"), development: set("2") });
  const ids = async () =>
    Promise.all(["production", "preview", "development"].map(async (name) => (await env.get(name)).entries[0].id));
  const [production, preview, development] = await ids();
  assert.deepEqual([preview === production, development === production], [true, false]);
  assert.match(production, /^env_/);
  // One that is set alone becomes a variable of its own; set together again, they are one.
  await env.change({ production: set("3") });
  const [alone, other] = await ids();
  assert.notEqual(alone, other);
  await env.change({ production: set("4"), preview: set("4") });
  assert.equal(new Set(await ids()).size, 2);
  await rollBack(2);
  assert.equal(new Set(await ids()).size, 3);
});

test("the newest hundred versions are kept", async () => {
  const { env } = await open();
  for (let at = 1; at <= 102; at++) await env.set("production", { A: { value: `${at}` } });
  const { body } = await env.call("GET", "/production/versions", { query: "limit=100" });
  assert.deepEqual([body.versions.length, body.versions[0].version, body.versions.at(-1).version], [100, 102, 3]);
  assert.equal((await env.call("GET", "/production/versions/2")).status, 404);
});

test("a roll-back that would make the project too large is refused", async () => {
  const { env, rollBack, dryRun } = await open();
  const large = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`K${at}`, { value: "x".repeat(65_000) }]));
  await env.set("production", large);
  await env.change({ production: { remove: Object.keys(large) } });
  for (let at = 0; at < 9; at++) {
    assert.equal((await env.call("POST", "", { body: { name: `env-${at}` } })).status, 200);
    await env.set(`env-${at}`, large);
  }
  const { status, body } = await rollBack(1);
  assert.deepEqual([status, body.error.code], [400, "invalid_environment"]);
  assert.match(body.error.message, /bytes of entries in a project/);
  assert.equal((await dryRun(1)).body.error.message, body.error.message);
  assert.deepEqual((await env.get("production")).entries, []);
});
