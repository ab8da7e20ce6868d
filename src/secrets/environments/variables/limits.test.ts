// What limited credentials see and change of a project's variables. What is outside of their limits does not exist for them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../../test/resources/api-keys.ts";
import { openEnvironments } from "../../../../test/resources/environments.ts";
import { openVault } from "../../../../test/resources/secrets.ts";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";

const app = await startTestApp();
const { createUser, readEvents, request } = app;
const BOTH = ["production", "preview"];
const LIST = "/v10/projects/shop/env";

/** Calls with one credential. */
function openClient(token: string) {
  const call = (method: string, path: string, body?: unknown) =>
    request(method, path, { token, ...(body === undefined ? {} : { body }) });
  return {
    call,
    async list(query = ""): Promise<Body[]> {
      const { status, body, text } = await call("GET", `${LIST}${query}`);
      assert.equal(status, 200, text);
      return body.envs;
    },
    post: (body: unknown, query = "") => call("POST", `${LIST}${query}`, body),
    get: (id: string) => call("GET", `/v1/projects/shop/env/${id}`),
    patch: (id: string, body: unknown) => call("PATCH", `/v9/projects/shop/env/${id}`, body),
    remove: (id: string, query = "") => call("DELETE", `/v9/projects/shop/env/${id}${query}`),
    removeAll: (ids: readonly string[]) => call("DELETE", "/v1/projects/shop/env", { ids }),
    pull: (target = "") => call("GET", `/v3/env/pull/shop${target}`),
    custom: (method: string, path = "", body?: unknown) =>
      call(method, `/v9/projects/shop/custom-environments${path}`, body),
  };
}

/** A project with variables: LEVEL and DB_URL of both environments, DB_LIVE of production, DB_TEST of preview. */
async function open() {
  const user = await createUser();
  const all = openClient(user.token);
  const env = openEnvironments(app, user.token, "shop");
  const vault = openVault(app, user.token);
  const created = await all.post([
    { key: "LEVEL", value: "info", type: "plain", target: BOTH },
    { key: "DB_URL", value: "both", target: BOTH },
    { key: "DB_LIVE", value: "live", target: ["production"] },
    { key: "DB_TEST", value: "test", target: ["preview"] },
  ]);
  assert.equal(created.status, 201, created.text);
  const [LEVEL, DB_URL, DB_LIVE, DB_TEST] = created.body.created.map(({ id }: Body) => id) as [
    string,
    string,
    string,
    string,
  ];
  return {
    user,
    all,
    env,
    vault,
    ids: { LEVEL, DB_URL, DB_LIVE, DB_TEST },
    async limited(limits: object) {
      const { body, text } = await createKey(app, user.token, "", limits);
      assert.ok(body.value, text);
      return openClient(body.value);
    },
    /** All that a refused change must leave. */
    state: async () => [
      await all.list(),
      (await all.custom("GET")).body,
      (await env.call("GET", "")).body,
      await vault.listNames(),
      (await readEvents(user.id)).length,
    ],
  };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** Expects that each call is refused and that together they change nothing. */
async function refuses(
  { state }: Opened,
  calls: readonly (readonly [
    call: () => ReturnType<ReturnType<typeof openClient>["call"]>,
    status: number,
    field?: string,
  ])[],
): Promise<void> {
  const before = await state();
  for (const [at, [call, expected, field]] of calls.entries()) {
    const { status, body, text } = await call();
    assert.deepEqual([status, body.error?.field], [expected, field], `call ${at}: ${text}`);
  }
  assert.deepEqual(await state(), before);
}

const shape = (variables: readonly Body[]) =>
  variables.map(({ key, target, value }) => [key, ...target, value].join(" ")).toSorted();

test("a key for another project finds no variable of this one", async () => {
  const opened = await open();
  const { limited, ids } = opened;
  const other = await limited({ projects: ["site"] });
  await refuses(opened, [
    [() => other.call("GET", LIST), 404],
    [() => other.call("GET", `${LIST}?decrypt=true`), 404],
    [() => other.get(ids.DB_URL), 404],
    [() => other.post({ key: "NEW", value: "1", type: "plain", target: BOTH }), 404],
    [() => other.patch(ids.LEVEL, { value: "x" }), 404],
    [() => other.remove(ids.LEVEL), 404],
    [() => other.removeAll([ids.LEVEL]), 404],
    [() => other.pull("/preview"), 404],
    [() => other.custom("GET"), 404],
    [() => other.custom("POST", "", { slug: "qa" }), 404],
  ]);
  const own = await limited({ projects: ["shop"] });
  assert.equal((await own.list()).length, 4);
  // What a variable has it keeps, while another secret cannot be referred to.
  assert.equal((await own.patch(ids.DB_TEST, { comment: "kept" })).status, 200);
  assert.equal((await own.get(ids.DB_TEST)).body.value, "test");
  await refuses(opened, [
    [() => own.patch(ids.DB_TEST, { value: "shop.production.DB_LIVE", type: "secret" }), 403, "body.value"],
    [() => own.post({ key: "NEW", value: "shop.production.DB_LIVE", type: "secret", target: BOTH }), 403, "body.value"],
  ]);
  const refused = await own.post({ key: "NEW", value: "shop.production.DB_LIVE", type: "secret", target: BOTH });
  assert.match(
    refused.body.error.message,
    /^value: expected a value of its own, not a secret by name or id: this credential is limited/,
  );
  assert.equal((await own.custom("POST", "", { slug: "qa", copyEnvVarsFrom: "preview" })).status, 201);
});

test("a key for one environment sees, reads and changes its variables, and knows of no other environment", async () => {
  const opened = await open();
  const { limited, ids, all, env, user } = opened;
  await all.custom("POST", "", { slug: "staging" });
  await env.call("POST", "", { body: { name: "qa", inheritsFrom: "staging" } });
  const preview = await limited({ environments: ["preview"] });
  const reads = async () => (await readEvents(user.id)).filter(({ type }) => type === "environment-values-read");
  assert.deepEqual(shape(await preview.list()), ["DB_TEST preview ", "DB_URL preview ", "LEVEL preview info"]);
  assert.deepEqual(shape(await preview.list("?decrypt=true")), [
    "DB_TEST preview test",
    "DB_URL preview both",
    "LEVEL preview info",
  ]);
  assert.deepEqual(
    (await reads()).map(({ payload }) => payload.environment),
    ["preview"],
  );
  assert.deepEqual((await preview.get(ids.DB_URL)).body.target, ["preview"]);
  assert.deepEqual((await preview.pull("/preview")).body.env, { DB_TEST: "test", DB_URL: "both", LEVEL: "info" });
  assert.deepEqual((await preview.custom("GET")).body.environments, []);
  const fresh = (key: string, target: readonly string[]) => ({ key, value: "1", type: "plain", target });
  await refuses(opened, [
    [() => preview.call("GET", `${LIST}?target=production`), 404],
    [() => preview.call("GET", `${LIST}?customEnvironmentSlug=staging`), 404],
    [() => preview.get(ids.DB_LIVE), 404],
    [() => preview.patch(ids.DB_LIVE, { value: "x" }), 404],
    [() => preview.remove(ids.DB_LIVE), 404],
    [() => preview.remove(ids.DB_URL, "?customEnvironmentId=production"), 404],
    [() => preview.pull("/production"), 404],
    [() => preview.pull(), 404],
    [() => preview.custom("GET", "/staging"), 404],
    [() => preview.custom("DELETE", "/staging"), 404],
    [() => preview.custom("POST", "", { slug: "own" }), 403],
    // One environment of its own beside another one.
    [() => preview.post(fresh("NEW", BOTH)), 400, "body.target"],
    [() => preview.post(fresh("constructor", ["preview"])), 400, "body.key"],
    [() => preview.post([fresh("NEW", ["preview"]), fresh("NEW", ["production"])]), 400, "body[1].target"],
    [
      () => preview.post({ ...fresh("NEW", ["preview"]), customEnvironmentIds: ["qa"] }),
      400,
      "body.customEnvironmentIds",
    ],
    [() => preview.patch(ids.DB_TEST, { target: BOTH }), 400, "body.target"],
    [() => preview.patch(ids.DB_TEST, { customEnvironmentIds: ["qa"] }), 400, "body.customEnvironmentIds"],
  ]);
  const { body } = await preview.removeAll([ids.DB_LIVE, ids.DB_TEST]);
  assert.deepEqual(body, { deleted: 1, ids: [ids.DB_TEST] });
  // Of a variable of both environments it has one.
  assert.equal((await preview.patch(ids.DB_URL, { value: "own" })).status, 200);
  assert.equal((await preview.remove(ids.LEVEL)).status, 200);
  assert.deepEqual((await env.values("production")).body, { DB_LIVE: "live", DB_URL: "both", LEVEL: "info" });
  assert.deepEqual((await env.values("preview")).body, { DB_URL: "own" });
  // An environment that it does not know keeps its own, and is not named.
  const staging = await limited({ environments: ["staging"] });
  const heirs = await staging.custom("DELETE", "/staging");
  assert.deepEqual([heirs.body.error.code, heirs.body.error.environments], ["environment_in_use", []]);
  assert.doesNotMatch(heirs.text, /qa/);
  assert.deepEqual(
    (await staging.custom("GET")).body.environments.map(({ slug }: Body) => slug),
    ["staging"],
  );
});

test("a key for some names knows the variables with these keys, and makes no others", async () => {
  const opened = await open();
  const { limited, ids, env } = opened;
  const names = await limited({ names: ["DB_*"] });
  assert.deepEqual(shape(await names.list("?target=preview")), ["DB_TEST preview ", "DB_URL production preview "]);
  assert.deepEqual((await names.pull("/preview")).body.env, { DB_TEST: "test", DB_URL: "both" });
  const inPreview = { type: "plain", target: ["preview"] };
  await refuses(opened, [
    [() => names.get(ids.LEVEL), 404],
    [() => names.patch(ids.LEVEL, { value: "x" }), 404],
    [() => names.remove(ids.LEVEL), 404],
    [() => names.post({ key: "LEVEL", value: "x", ...inPreview }, "?upsert=true"), 403, "body.key"],
    [
      () =>
        names.post([
          { key: "DB_NEW", value: "x", ...inPreview },
          { key: "NEW", value: "x", ...inPreview },
        ]),
      403,
      "body[1].key",
    ],
    [() => names.patch(ids.DB_TEST, { key: "LEVEL" }), 403, "body.key"],
    [() => names.custom("GET"), 403],
    [() => names.custom("POST", "", { slug: "qa", copyEnvVarsFrom: "production" }), 403],
  ]);
  assert.deepEqual((await names.removeAll([ids.LEVEL])).body, { deleted: 0, ids: [] });
  // The secret of a variable has a name of its own, which nobody chose.
  assert.equal((await names.post({ key: "DB_NEW", value: "new", target: ["preview"] })).status, 201);
  assert.equal((await names.patch(ids.DB_TEST, { key: "DB_OTHER" })).status, 200);
  assert.deepEqual((await env.values("preview")).body, {
    DB_NEW: "new",
    DB_OTHER: "test",
    DB_URL: "both",
    LEVEL: "info",
  });
});

test("a single permission is for what it names: to see keys, to change without seeing, and nothing to reveal alone", async () => {
  const opened = await open();
  const { limited, ids, env } = opened;
  const fresh = { key: "NEW", value: "1", type: "plain", target: ["preview"] };
  const reads = await limited({ permissions: ["environment:read"] });
  assert.deepEqual(shape(await reads.list("?target=preview")), [
    "DB_TEST preview ",
    "DB_URL production preview ",
    "LEVEL production preview info",
  ]);
  const reveals = await limited({ permissions: ["secret:reveal"] });
  const writes = await limited({ permissions: ["environment:write"] });
  await refuses(opened, [
    ...[reads, reveals, writes].flatMap((one) => [
      [() => one.call("GET", `${LIST}?decrypt=true`), 403] as const,
      [() => one.get(ids.DB_URL), 403] as const,
      [() => one.pull("/preview"), 403] as const,
    ]),
    ...[reveals, writes].map((one) => [() => one.call("GET", LIST), 403] as const),
    ...[reads, reveals].flatMap((one) => [
      [() => one.post(fresh), 403] as const,
      [() => one.patch(ids.LEVEL, { value: "x" }), 403] as const,
      [() => one.remove(ids.LEVEL), 403] as const,
      [() => one.removeAll([ids.LEVEL]), 403] as const,
      [() => one.custom("POST", "", { slug: "qa" }), 403] as const,
      [() => one.custom("DELETE", "/qa"), 403] as const,
    ]),
    // To store a secret, or to refer to one, is more than to change an environment.
    [() => writes.post({ ...fresh, type: "encrypted" }), 403],
    [() => writes.post({ ...fresh, type: "secret", value: "shop.preview.DB_TEST" }), 403],
    [() => writes.patch(ids.DB_URL, { value: "x" }), 403],
  ]);
  const made = await writes.post(fresh);
  assert.deepEqual([made.status, made.body.created.value], [201, "1"]);
  // What it may not see is not shown to it for a change of something else.
  assert.equal((await writes.patch(ids.LEVEL, { comment: "why" })).body.value, "");
  assert.equal((await writes.remove(ids.LEVEL)).body.value, "");
  assert.deepEqual((await env.values("preview")).body, { DB_TEST: "test", DB_URL: "both", NEW: "1" });
});
