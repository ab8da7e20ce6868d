// Ways by which an environment comes to refer to a secret: each needs what setting the reference needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse } from "../../../test/harness/test-app.ts";
import { keyOf, keyWith } from "../../../test/resources/bounded-credentials.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../test/sign-in/session-token.ts";
import { PERMISSIONS } from "../../platform/kernel/roles.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { createUser, createTeam, request } = api;

const NARROW = ["environment:read", "environment:write", "secret:reveal", "secret:write"] as const;

async function open() {
  const owner = await createUser();
  const team = await createTeam(owner);
  const narrow = await keyWith(api, owner, team, NARROW);
  const whole = await keyWith(api, owner, team, PERMISSIONS);
  const call = (token: string, method: string, path: string, body?: object) =>
    request(method, `${path}${path.includes("?") ? "&" : "?"}teamId=${team.id}`, { token, ...(body && { body }) });
  const secret = { name: "TOKEN", value: "swordfish", decryptable: true };
  assert.equal((await call(owner.token, "POST", "/v2/secrets", secret)).status, 200);
  const set = (entries: object, environment = "production") =>
    call(owner.token, "PATCH", "/v1/environments/shop", { environments: { [environment]: { set: entries } } });
  const drop = (key: string) =>
    call(owner.token, "PATCH", "/v1/environments/shop", { environments: { production: { remove: [key] } } });
  return { owner, team, narrow, whole, call, set, drop };
}

function isRefused({ status, body, text }: TestResponse, what: string): void {
  assert.deepEqual([status, body.error?.code, body.error?.action], [403, "forbidden", "read"], `${what}: ${text}`);
}

test("a roll-back to a version that refers to a secret needs what setting the reference needs", async () => {
  const { narrow, whole, call, set, drop } = await open();
  await set({ A: { secret: "TOKEN" }, PLAIN: { value: "1" } });
  await drop("A");
  await set({ OWN: { secretValue: "perch" } });
  await drop("OWN");
  const rollBack = (token: string, version: number) =>
    call(token, "POST", "/v1/environments/shop/production/rollback", { version });
  const direct = { environments: { production: { set: { A: { secret: "TOKEN" } } } } };
  isRefused(await call(narrow, "PATCH", "/v1/environments/shop", direct), "the reference itself");
  isRefused(await rollBack(narrow, 1), "by a version");
  isRefused(
    await call(narrow, "POST", "/v1/environments/shop/production/rollback?dryRun=true", { version: 1 }),
    "shown",
  );
  isRefused(await rollBack(narrow, 3), "to a secret that was made for the entry");
  assert.equal((await rollBack(narrow, 2)).status, 200, "without references");
  const restored = await rollBack(whole, 1);
  assert.equal(restored.status, 200, restored.text);
  const values = await call(narrow, "GET", "/v1/environments/shop/production/values");
  assert.ok(values.text.includes("swordfish"), values.text);
  await set({ PLAIN: { value: "2" } });
  assert.equal(
    (await rollBack(narrow, restored.body.version)).status,
    200,
    "what it refers to now is no new reference",
  );
});

test("a copy of an environment and what it inherits from need it too", async () => {
  const { narrow, whole, call, set } = await open();
  await set({ A: { secret: "TOKEN" } });
  const copy = { slug: "copy", copyEnvVarsFrom: "production" };
  const custom = "/v9/projects/shop/custom-environments";
  isRefused(await call(narrow, "POST", custom, copy), "a copy");
  isRefused(await call(narrow, "PATCH", "/v1/environments/shop/preview", { inheritsFrom: "production" }), "a parent");
  const heir = { name: "heir", inheritsFrom: "production" };
  isRefused(await call(narrow, "POST", "/v1/environments/shop", heir), "a new one with a parent");
  assert.equal((await call(narrow, "POST", custom, { slug: "plain", copyEnvVarsFrom: "development" })).status, 201);
  assert.equal((await call(whole, "POST", custom, copy)).status, 201);
  assert.equal((await call(whole, "POST", "/v1/environments/shop", heir)).status, 200);
  assert.equal(
    (await call(whole, "PATCH", "/v1/environments/shop/preview", { inheritsFrom: "production" })).status,
    200,
  );
});

test("a variable takes its secret into no further environment without it", async () => {
  const { narrow, whole, call } = await open();
  const path = "/v10/projects/shop/env";
  const made = await call(whole, "POST", path, { key: "A", value: "TOKEN", type: "secret", target: ["production"] });
  const { id } = made.body.created;
  const change = (token: string, body: object) => call(token, "PATCH", `/v9/projects/shop/env/${id}`, body);
  isRefused(await change(narrow, { target: ["production", "preview"] }), "further environments");
  assert.equal((await change(narrow, { comment: "kept" })).status, 200);
  assert.equal((await change(whole, { target: ["production", "preview"] })).status, 200);
});

/** What a team's `preview` has of its own in front of the secret that `production` gives it. */
async function openOverride() {
  const opened = await open();
  const { whole, call, set } = opened;
  await set({ DB: { secret: "TOKEN" } });
  await set({ OTHER: { value: "1" } }, "preview");
  await call(whole, "PATCH", "/v1/environments/shop/preview", { inheritsFrom: "production" });
  await set({ DB: { value: "local" } }, "preview");
  await call(whole, "POST", "/v1/environments/shop", { name: "staging", inheritsFrom: "preview" });
  const { envs } = (await call(whole, "GET", "/v10/projects/shop/env")).body;
  const { id } = envs.find(
    (one: { readonly type: string; readonly key: string }) => one.type === "plain" && one.key === "DB",
  );
  const variable = `/v9/projects/shop/env/${id}`;
  const ways: readonly (readonly [what: string, method: string, path: string, body?: object])[] = [
    ["removing it", "PATCH", "/v1/environments/shop", { environments: { preview: { remove: ["DB"] } } }],
    [
      "removing it, looked at",
      "PATCH",
      "/v1/environments/shop?dryRun=true",
      { environments: { preview: { remove: ["DB"] } } },
    ],
    ["going back before it", "POST", "/v1/environments/shop/preview/rollback", { version: 2 }],
    ["deleting the variable", "DELETE", variable],
    ["deleting variables", "DELETE", "/v1/projects/shop/env", { ids: [id] }],
    ["renaming the variable", "PATCH", variable, { key: "DB_LOCAL" }],
    ["moving the variable", "PATCH", variable, { target: ["development"] }],
  ];
  return { ...opened, ways };
}

test("taking away what is in front of an inherited secret needs what a reference to that needs", async () => {
  const { narrow, whole, call, owner, team, ways } = await openOverride();
  const { session } = await openSession(api, owner);
  api.clock.advance(HOUR_MS);
  const limits = { permissions: PERMISSIONS, projects: ["shop"], environments: ["preview", "development"] };
  const limited = await keyOf(api, owner, team, limits);
  const values = async () => (await call(whole, "GET", "/v1/environments/shop/staging/values")).body;
  for (const [what, method, path, body] of ways) {
    isRefused(await call(narrow, method, path, body), what);
    const stale = await call(sessionAsToken(session), method, path, body);
    assert.deepEqual([stale.status, stale.body.error?.code], [403, "proof_required"], `${what}: ${stale.text}`);
    if (!path.endsWith("/rollback")) {
      const outside = await call(limited, method, path, body);
      assert.deepEqual([outside.status, outside.body.error?.scope], [403, "limits"], `${what}: ${outside.text}`);
    }
    assert.equal((await values()).DB, "local", what);
  }
  const [, method, path, body] = ways[0] as (typeof ways)[number];
  assert.equal((await call(whole, method, path, body)).status, 200);
  assert.equal((await values()).DB, "swordfish", "what inherits from preview has it then too");
});

test("what leaves a plain value or the same secret needs nothing more", async () => {
  const { narrow, whole, call, set } = await openOverride();
  const change = (environment: string, entries: object) =>
    call(narrow, "PATCH", "/v1/environments/shop", { environments: { [environment]: entries } });
  const succeeds = async (sent: Promise<TestResponse>, what: string) => {
    const { status, text } = await sent;
    assert.equal(status, 200, `${what}: ${text}`);
  };
  await succeeds(change("preview", { remove: ["OTHER"] }), "nothing is inherited");
  await succeeds(change("preview", { set: { DB: { value: "other" } } }), "another value in front");
  await succeeds(change("preview", { set: { DB: { secretValue: "perch" } } }), "a value of the caller");
  await succeeds(change("staging", { set: { DB: { value: "x" } } }), "in front of a secret");
  await set({ DB: { secret: "TOKEN" } }, "preview");
  await succeeds(change("preview", { remove: ["DB"] }), "preview inherits the same secret");
  await succeeds(call(whole, "PATCH", "/v1/environments/shop/preview", { inheritsFrom: null }), "prepared");
  await succeeds(change("production", { remove: ["DB"] }), "nothing inherits it");
});

test("a variable's secret gets another key only as a new reference to it would", async () => {
  const { narrow, whole, call, owner } = await openOverride();
  const { session } = await openSession(api, owner);
  api.clock.advance(HOUR_MS);
  const { envs } = (await call(whole, "GET", "/v10/projects/shop/env")).body;
  const { id } = envs.find((one: { readonly type: string }) => one.type !== "plain");
  const rename = (token: string) => call(token, "PATCH", `/v9/projects/shop/env/${id}`, { key: "SHOP_DB" });
  isRefused(await rename(narrow), "without secret:read");
  assert.equal((await rename(sessionAsToken(session))).body.error?.code, "proof_required");
  assert.equal((await rename(whole)).status, 200);
});
