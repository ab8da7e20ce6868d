// A master key that another server has and this one lacks: requests that need it are refused without a change, and all
// others succeed.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestResponse, TestUser } from "../../../../test/harness/test-app.ts";

const ABSENT_KEY = "mk_0123456789abcdef";

const WEBHOOK = { url: "http://127.0.0.1:8999/", events: ["team"], active: false };

const { request, createUser, readEvents, query } = await startOwnApp({ egressAllow: "127.0.0.1" });
let user: TestUser;

async function call(method: string, path: string, body?: unknown): Promise<TestResponse> {
  return await request(method, path, { token: user.token, ...(body === undefined ? {} : { body }) });
}

before(async () => {
  user = await createUser();
  for (const name of ["PRESENT", "ELSEWHERE"]) {
    const made = await call("POST", "/v2/secrets", { name, value: "first", decryptable: true });
    assert.equal(made.status, 200, made.text);
  }
});

/** The id of a variable of the project `shop` whose value is a secret. */
async function addVariable(key: string, value: string): Promise<string> {
  const body = { key, value, type: "encrypted", target: ["preview"] };
  const made = await call("POST", "/v10/projects/shop/env", body);
  assert.equal(made.status, 201, made.text);
  return made.body.created.id;
}

type Call = readonly [method: string, path: string, body?: unknown];

async function assertRefused(...one: Call) {
  const refused = await call(...one);
  assert.deepEqual([refused.status, refused.body.error.code], [503, "master_key_missing"], `${one[0]} ${one[1]}`);
  assert.equal(refused.body.error.keyId, ABSENT_KEY);
  assert.equal(refused.headers["retry-after"], "1");
}

async function assertAllRefused(calls: readonly Call[]) {
  const events = await readEvents(user.id);
  for (const one of calls) await assertRefused(...one);
  assert.deepEqual(await readEvents(user.id), events);
}

test("while the active key is missing, nothing is sealed under another key", async () => {
  const { id } = (await call("POST", "/v1/webhooks", WEBHOOK)).body;
  const [{ key_id: present } = {}] = await query("select key_id from active_master_key");
  await call("POST", "/v1/attack-challenge-mode", { attackModeEnabled: true });
  const variable = await addVariable("KNOWN", "first");
  await query(`update active_master_key set key_id = '${ABSENT_KEY}'`);
  await assertAllRefused([
    ["PATCH", "/v1/environments/shop", { environments: { production: { set: { NEW: { secretValue: "x" } } } } }],
    ["POST", "/v10/projects/shop/env", { key: "NEW", value: "x", type: "encrypted", target: ["preview"] }],
    ["PATCH", `/v9/projects/shop/env/${variable}`, { value: "second" }],
    ["POST", "/v2/secrets", { name: "NEW", value: "x" }],
    ["POST", "/v2/secrets/NEW", { value: "x" }],
    ["POST", "/v2/secrets/generate", { name: "NEW" }],
    ["PUT", "/v2/secrets/PRESENT", { value: "second" }],
    ["POST", "/v2/secrets/PRESENT/versions/1/restore"],
    ["PATCH", "/v1/secrets/values", { values: [{ name: "PRESENT", value: "second" }] }],
    ["POST", "/v1/webhooks", WEBHOOK],
    ["PATCH", `/v1/webhooks/${id}`, { keyPair: true }],
    ["PATCH", `/v1/webhooks/${id}`, { headers: { "x-own": "x" } }],
    ["POST", `/v1/webhooks/${id}/rotate-secret`],
    ["GET", "/v1/gate/bundle"],
  ]);
  assert.equal((await call("GET", "/v3/secrets/NEW")).status, 404);
  const read = await call("GET", "/v3/secrets/PRESENT?decrypt=true");
  assert.deepEqual([read.body.value, read.body.version], ["first", 1]);
  await query(`update active_master_key set key_id = '${String(present)}'`);
  assert.equal((await call("PUT", "/v2/secrets/PRESENT", { value: "second" })).status, 200);
});

test("nothing is sent to a webhook whose secret is under a missing key, and its log says so", async () => {
  const { id } = (await call("POST", "/v1/webhooks", WEBHOOK)).body;
  await query(`update webhook_secrets set key_id = '${ABSENT_KEY}' where webhook_id = '${id}'`);
  await assertRefused("POST", `/v1/webhooks/${id}/test`);
  const { deliveries } = (await call("GET", `/v1/webhooks/${id}/deliveries`)).body;
  assert.deepEqual(
    deliveries.map(({ type, state }: { type: string; state: string }) => [type, state]),
    [["test-webhook", "failed"]],
  );
});

test("a value under a missing key cannot be read, and no other value is affected", async () => {
  const referring = { key: "REFERRING", value: "ELSEWHERE", type: "secret", target: ["preview"] };
  assert.equal((await call("POST", "/v10/projects/shop/env", referring)).status, 201);
  const own = await addVariable("OWN", "x");
  await query(
    `update secret_versions set key_id = '${ABSENT_KEY}'
      where secret_id in (select id from secrets where name in ('ELSEWHERE', 'shop.preview.OWN'))`,
  );
  await assertAllRefused([
    ["GET", "/v10/projects/shop/env?decrypt=true"],
    ["GET", `/v1/projects/shop/env/${own}`],
    ["GET", "/v3/env/pull/shop/preview"],
    ["GET", "/v1/environments/shop/preview/values"],
    ["GET", "/v3/secrets/ELSEWHERE?decrypt=true"],
    ["GET", "/v2/secrets/ELSEWHERE/versions/1?decrypt=true"],
    ["POST", "/v2/secrets/ELSEWHERE/versions/1/restore"],
  ]);
  assert.equal((await call("GET", "/v3/secrets/ELSEWHERE")).status, 200);
  assert.equal((await call("GET", "/v3/secrets/PRESENT?decrypt=true")).body.value, "second");
});
