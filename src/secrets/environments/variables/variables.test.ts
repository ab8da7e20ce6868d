import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { openEnvironments } from "../../../../test/resources/environments.ts";
import { openVault, outcome } from "../../../../test/resources/secrets.ts";

const app = await startTestApp();
const { clock, createUser, readEvents, request } = app;
const HIDDEN = "hidden-text";

async function open() {
  const user = await createUser();
  const { token } = user;
  const call = (method: string, path: string, body?: unknown) =>
    request(method, path, { token, ...(body === undefined ? {} : { body }) });
  const env = openEnvironments(app, token, "shop");
  return {
    user,
    env,
    vault: openVault(app, token),
    events: async (type: string) => (await readEvents(user.id)).filter((event) => event.type === type),
    post: (body: unknown, query = "") => call("POST", `/v10/projects/shop/env${query}`, body),
    async add(body: unknown, query = ""): Promise<Body> {
      const made = await call("POST", `/v10/projects/shop/env${query}`, body);
      assert.equal(made.status, 201, made.text);
      assert.deepEqual(made.body.failed, []);
      return made.body.created;
    },
    async list(query = ""): Promise<Body[]> {
      const listed = await call("GET", `/v10/projects/shop/env${query}`);
      assert.equal(listed.status, 200, listed.text);
      return listed.body.envs.map(({ securityIssues, ...shown }: Body) => {
        assert.deepEqual(securityIssues, []);
        return shown;
      });
    },
    get: (id: string) => call("GET", `/v1/projects/shop/env/${id}`),
    patch: (id: string, body: unknown) => call("PATCH", `/v9/projects/shop/env/${id}`, body),
    remove: (id: string, query = "") => call("DELETE", `/v9/projects/shop/env/${id}${query}`),
    pull: (path = "") => call("GET", `/v3/env/pull/shop${path}`),
    call,
  };
}

const BOTH = { target: ["production", "preview"] };

test("a variable is one entry in each of its environments", async () => {
  const { env, add, list, pull } = await open();
  const plain = await add({ key: "LEVEL", value: "info", type: "plain", ...BOTH, comment: "how much" });
  assert.deepEqual(plain, {
    id: plain.id,
    key: "LEVEL",
    value: "info",
    type: "plain",
    ...BOTH,
    customEnvironmentIds: [],
    comment: "how much",
    createdAt: clock.now,
    updatedAt: clock.now,
  });
  const [entry] = (await env.get("preview")).entries;
  assert.deepEqual([entry.id, entry.key, entry.value, entry.comment], [plain.id, "LEVEL", "info", "how much"]);
  assert.deepEqual((await env.get("development")).entries, []);
  assert.deepEqual((await pull("/preview")).body, { env: { LEVEL: "info" }, buildEnv: { LEVEL: "info" } });
  assert.deepEqual((await pull()).body, { env: {}, buildEnv: {} });
  assert.deepEqual(await list(), [plain]);
  // What our own endpoints change is the same variable, and without one of its environments another one.
  await env.set("production", { LEVEL: { value: "warn" } });
  const split = await list();
  assert.deepEqual(split.map(({ value, target, id }) => [value, target, id === plain.id]).toSorted(), [
    ["info", ["preview"], true],
    ["warn", ["production"], false],
  ]);
});

test("types: a secret is made, shown on demand, never shown again, or referred to", async () => {
  const { env, vault, add, list, get, pull, events } = await open();
  const { uid } = await vault.add("db", { value: `${HIDDEN}-db` });
  const target = ["production"];
  const made = await add([
    { key: "A", value: `${HIDDEN}-a`, type: "encrypted", target },
    { key: "B", value: `${HIDDEN}-b`, type: "sensitive", target },
    { key: "C", value: "db", type: "secret", target },
    { key: "D", value: `${HIDDEN}-d`, target },
    { key: "E", value: `${HIDDEN}-e`, type: "encrypted", visibility: "secret", target },
  ]);
  const shape = (variables: readonly Body[]) => variables.map((one) => [one.key, one.type, one.value, one.decrypted]);
  const masked = [
    ["A", "encrypted", "", false],
    ["B", "sensitive", "", false],
    ["C", "secret", uid, undefined],
    ["D", "encrypted", "", false],
    ["E", "sensitive", "", false],
  ];
  assert.deepEqual(shape(made as Body[]), masked);
  assert.deepEqual(shape(await list()), masked);
  assert.deepEqual(await events("environment-values-read"), []);
  assert.deepEqual(shape(await list("?decrypt=true")), [
    ["A", "encrypted", `${HIDDEN}-a`, true],
    masked[1],
    masked[2],
    ["D", "encrypted", `${HIDDEN}-d`, true],
    masked[4],
  ]);
  const [read, ...more] = await events("environment-values-read");
  assert.deepEqual([read?.payload.environment, read?.payload.names, more], ["production", ["A", "D"], []]);
  assert.deepEqual(await Promise.all((made as Body[]).map(async ({ id }) => (await get(id)).body.value)), [
    `${HIDDEN}-a`,
    "",
    uid,
    `${HIDDEN}-d`,
    "",
  ]);
  assert.equal((await events("environment-values-read")).length, 3);
  const values = { A: `${HIDDEN}-a`, B: `${HIDDEN}-b`, C: `${HIDDEN}-db`, D: `${HIDDEN}-d`, E: `${HIDDEN}-e` };
  assert.deepEqual((await pull("/production")).body.env, values);
  assert.deepEqual((await env.values("production")).body, values);
  const { entries } = await env.get("production");
  assert.deepEqual(
    entries.map((entry: Body) => [entry.key, entry.kind, entry.isSensitive, entry.secret?.uid === uid]),
    [
      ["A", "secret", undefined, false],
      ["B", "secret", true, false],
      ["C", "secret", undefined, true],
      ["D", "secret", undefined, false],
      ["E", "secret", true, false],
    ],
  );
});

test("upsert replaces, and what is taken, unknown or of a branch is refused before anything changes", async () => {
  const { env, post, add, list } = await open();
  const kept = await add({ key: "A", value: "1", type: "plain", ...BOTH });
  const refused: [body: unknown, code: string, field: string][] = [
    [{ key: "A", value: "2", type: "plain", target: ["preview", "development"] }, "env_conflict", "body.key"],
    [{ key: "1A", value: "2", type: "plain", ...BOTH }, "invalid_environment", "body.key"],
    [{ key: "B", value: "2", type: "plain", target: [] }, "invalid_environment", "body.target"],
    [{ key: "B", value: "2", customEnvironmentIds: ["qa"] }, "invalid_environment", "body.customEnvironmentIds"],
    [{ key: "B", value: "2", ...BOTH, gitBranch: "one" }, "invalid_environment", "body.gitBranch"],
    [{ key: "B", value: "no-such", type: "secret", ...BOTH }, "invalid_environment", "body.value"],
    [{ key: "B", value: "2", type: "plain", visibility: "secret", ...BOTH }, "invalid_environment", "body.visibility"],
    [{ key: "B", value: "2", type: "system", ...BOTH }, "bad_request", "body.type"],
    [{ key: "B", value: "x".repeat(65_537), type: "plain", ...BOTH }, "invalid_environment", "body.value"],
    [{ key: "B", value: "x".repeat(65_537), ...BOTH }, "invalid_secret_value", "body.value"],
  ];
  for (const [body, code, field] of refused) {
    const { body: answer, text } = await post(body);
    assert.deepEqual([answer.error?.code, answer.error?.field], [code, field], text);
  }
  const twice = { key: "B", value: "2", type: "plain", target: ["preview"] };
  const { body } = await post([{ ...twice, key: "C" }, twice, { ...twice, ...BOTH }]);
  assert.deepEqual([body.error.code, body.error.field], ["env_conflict", "body[2].key"], body.error.message);
  assert.deepEqual(await list(), [kept]);
  clock.now += 1_000;
  const replaced = await add({ key: "A", value: "3", type: "plain", target: ["preview"] }, "?upsert=true");
  assert.notEqual(replaced.id, kept.id);
  assert.deepEqual((await list()).map(({ value, target }) => [value, target]).toSorted(), [
    ["1", ["production"]],
    ["3", ["preview"]],
  ]);
  await add({ key: "S", value: "old", ...BOTH });
  await add({ key: "S", value: "new", target: ["preview"] }, "?upsert=true");
  const read = async (name: string) => (await env.values(name, "names=S")).body.S;
  assert.deepEqual([await read("production"), await read("preview")], ["old", "new"]);
});

test("a change is one of all environments, and keeps what it does not name", async () => {
  const { env, add, list, patch, get } = await open();
  await env.call("POST", "", { body: { name: "qa" } });
  const { id } = await add({ key: "A", value: "one", comment: "why", customEnvironmentIds: ["qa"], ...BOTH });
  const change = async (body: unknown) => {
    const answer = await patch(id, body);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const shape = ({ key, type, target, customEnvironmentIds, comment }: Body) => [
    key,
    type,
    [...target, ...customEnvironmentIds].join(),
    comment,
  ];
  const values = async () =>
    await Promise.all(["production", "preview", "qa"].map(async (name) => (await env.values(name)).body));
  assert.deepEqual(shape(await change({ value: "two" })), ["A", "encrypted", "production,preview,qa", "why"]);
  assert.deepEqual(await values(), [{ A: "two" }, { A: "two" }, { A: "two" }]);
  assert.deepEqual(shape(await change({ target: ["preview"] })), ["A", "encrypted", "preview,qa", "why"]);
  assert.deepEqual(await values(), [{}, { A: "two" }, { A: "two" }]);
  assert.deepEqual(shape(await change({ ...BOTH, customEnvironmentIds: [] })), [
    "A",
    "encrypted",
    "production,preview",
    "why",
  ]);
  const renamed = await change({ key: "B", comment: "because" });
  assert.deepEqual([renamed.id, ...shape(renamed)], [id, "B", "encrypted", "production,preview", "because"]);
  assert.deepEqual(await values(), [{ B: "two" }, { B: "two" }, {}]);
  assert.equal((await get(id)).body.value, "two");
  // A new value reaches the environments that the variable came to later, and none else.
  await change({ target: ["production", "preview", "development"] });
  await add({ key: "B", value: "three", target: ["production"] }, "?upsert=true");
  assert.deepEqual(await values(), [{ B: "three" }, { B: "two" }, {}]);
  assert.equal((await list()).length, 2);
  assert.deepEqual(shape(await change({ type: "sensitive" })), ["B", "sensitive", "preview,development", "because"]);
  const refusals = [{ type: "encrypted" }, { type: "plain" }, { type: "secret" }, { visibility: "config" }];
  for (const body of refusals) {
    const answer = await patch(id, body);
    assert.deepEqual([outcome(answer), answer.body.error.field], ["invalid_environment", "body.value"], answer.text);
  }
  const taken = await patch(id, { target: ["production"] });
  assert.deepEqual([outcome(taken), taken.body.error.environments], ["env_conflict", ["production"]]);
  assert.deepEqual(shape(await change({ type: "plain", value: "four" })), [
    "B",
    "plain",
    "preview,development",
    "because",
  ]);
  assert.deepEqual(shape(await change({ type: "sensitive" })), ["B", "sensitive", "preview,development", "because"]);
  assert.equal((await env.values("development")).body.B, "four");
});

test("a variable is removed, from one environment or all, and several at once", async () => {
  const { env, add, list, remove, call, events } = await open();
  await env.call("POST", "", { body: { name: "qa" } });
  const a = await add({ key: "A", value: "1", type: "plain", target: ["preview"], customEnvironmentIds: ["qa"] });
  const b = await add({ key: "B", value: "2", type: "plain", ...BOTH });
  const c = await add({ key: "C", value: "3", type: "plain", ...BOTH });
  assert.deepEqual((await remove(a.id, "?customEnvironmentId=qa")).body, a);
  assert.deepEqual((await list("?customEnvironmentId=qa")).length, 0);
  assert.equal((await remove(a.id, "?customEnvironmentId=qa")).status, 404);
  assert.equal((await remove(a.id)).status, 200);
  assert.equal((await remove(a.id)).status, 404);
  const before = (await events("environment-values-changed")).length;
  const batch = await call("DELETE", "/v1/projects/shop/env", { ids: [b.id, c.id, a.id] });
  assert.equal(batch.body.deleted, 2);
  assert.deepEqual(batch.body.ids.toSorted(), [b.id, c.id].toSorted());
  assert.deepEqual(await list(), []);
  // One event for each environment.
  assert.equal((await events("environment-values-changed")).length, before + 2);
});

test("a list is of one environment without what it inherits, and a branch has none", async () => {
  const { env, add, list, call, pull } = await open();
  await env.call("PATCH", "/preview", { body: { inheritsFrom: "production" } });
  await add({ key: "A", value: "1", type: "plain", target: ["production"] });
  assert.equal((await list("?target=production")).length, 1);
  assert.deepEqual(await list("?target=preview"), []);
  assert.deepEqual(await list("?target=production&gitBranch=one"), []);
  assert.equal((await call("GET", "/v10/projects/shop/env?customEnvironmentSlug=nowhere")).status, 404);
  assert.deepEqual((await pull("/preview/feature%2Fone")).body.env, { A: "1" });
  assert.equal((await pull("/nowhere")).status, 404);
});

test("a secret that cannot be read is told: empty in a list, refused alone and in a pull", async () => {
  const { vault, add, list, get, pull, patch } = await open();
  const { id } = await add({ key: "A", value: "text", target: ["production"] });
  const [secret] = await vault.listNames();
  await vault.remove(secret as string);
  const [listed] = await list("?decrypt=true");
  assert.deepEqual([listed?.value, listed?.decrypted], ["", false]);
  assert.deepEqual(
    [outcome(await get(id)), outcome(await pull("/production"))],
    ["environment_incomplete", "environment_incomplete"],
  );
  const { body } = await patch(id, { comment: "still there" });
  assert.deepEqual([body.error.code, body.error.field], ["invalid_environment", "body.value"]);
  assert.equal((await patch(id, { value: "again" })).status, 200);
  assert.equal((await get(id)).body.value, "again");
});

test("a variable that got another key and is brought back shares its id with no other key", async () => {
  const { env, add, list, patch } = await open();
  const { id } = await add({ key: "A", value: "1", type: "plain", ...BOTH });
  await patch(id, { key: "B" });
  await env.call("POST", "/production/rollback", { body: { version: 1 } });
  const all = await list();
  assert.deepEqual(all.map(({ key, target }) => [key, target]).toSorted(), [
    ["A", ["production"]],
    ["B", ["preview"]],
  ]);
  assert.equal(new Set(all.map((one) => one.id)).size, 2);
});

test("a value that does not open, is too long, or could never be read is refused", async () => {
  const { add, post, patch, get, pull, call, vault } = await open();
  await vault.add("SEALED", { value: "x", decryptable: false });
  const { id } = await add({ key: "B", value: "one", type: "encrypted", ...BOTH });
  assert.equal(outcome(await post({ key: "A", value: "SEALED", type: "secret", ...BOTH })), "secret_not_decryptable");
  assert.equal(outcome(await patch(id, { value: "SEALED", type: "secret" })), "secret_not_decryptable");
  assert.equal(outcome(await patch(id, { value: "x".repeat(70_000) })), "invalid_secret_value");
  const own = "select id from secrets where name like 'shop.%.B'";
  await app.query(`update secret_versions set ciphertext = wrapped_key where secret_id in (${own})`);
  for (const read of [
    await get(id),
    await pull("/preview"),
    await call("GET", "/v10/projects/shop/env?decrypt=true"),
  ]) {
    assert.equal(outcome(read), "secret_unreadable", read.text);
  }
});
