// Ways by which an environment comes to refer to a secret: each needs what setting the reference needs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse } from "../../../test/harness/test-app.ts";
import { keyWith } from "../../../test/resources/bounded-credentials.ts";
import { PERMISSIONS } from "../../kernel/roles.ts";

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
  return { narrow, whole, call, set, drop };
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
