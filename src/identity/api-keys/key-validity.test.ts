import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, createTeamKey, readKeys } from "../../../test/resources/api-keys.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { request, clock, createUser, readEvents } = client;

test("keys are used from the allowed networks only", async () => {
  const user = await createUser();
  const allowedCidrs = ["192.0.2.0/24", "2001:DB8::/32", "198.51.100.7"];
  const { apiKey, value } = await createTeamKey(client, user, { allowedCidrs });
  assert.deepEqual(apiKey.allowedCidrs, ["192.0.2.0/24", "2001:db8::/32", "198.51.100.7/32"]);
  for (const ip of ["192.0.2.255", "::ffff:192.0.2.1", "2001:db8:1::1", "198.51.100.7"]) {
    assert.equal((await readKeys(client, value, ip)).status, 200, ip);
  }
  for (const ip of ["192.0.3.0", "127.0.0.1", "2001:db9::1", "198.51.100.8"]) {
    assert.equal((await readKeys(client, value, ip)).status, 401, ip);
    const write = await request("POST", "/v1/api-keys", { token: value, ip, body: { name: "x", role: "VIEWER" } });
    assert.equal(write.status, 401, ip);
  }
});

test("a key ends when it expires", async () => {
  const { value } = await createTeamKey(client, await createUser(), { expiresAt: clock.now + HOUR_MS });
  clock.advance(HOUR_MS - 1);
  assert.equal((await readKeys(client, value)).status, 200);
  clock.advance(1);
  assert.equal((await readKeys(client, value)).status, 401);
});

test("a key that ends or is bound to networks hands out none without those limits", async () => {
  const user = await createUser();
  const limits = { expiresAt: clock.now + HOUR_MS, allowedCidrs: ["192.0.2.0/24", "198.51.100.0/24"] };
  const { apiKey, scope, value } = await createTeamKey(client, user, limits);
  const free = await createKey(client, user.token, scope);
  const ask = (path: string, body?: object) =>
    request("POST", `/v1/api-keys${path}`, { token: value, ip: "192.0.2.1", ...(body ? { body } : {}) });

  const wanted = { name: "child", role: "VIEWER", ...limits };
  for (const [field, change] of [
    ["body.expiresAt", { expiresAt: limits.expiresAt + 1 }],
    ["body.expiresAt", { expiresAt: null }],
    ["body.allowedCidrs", { allowedCidrs: undefined }],
    ["body.allowedCidrs", { allowedCidrs: ["0.0.0.0/0"] }],
  ] as const) {
    const { status, body } = await ask("", { ...wanted, ...change });
    assert.equal(status, 403, field);
    assert.equal(body.error.field, field);
  }
  for (const act of ["rotate", "adopt"]) assert.equal((await ask(`/${free.body.apiKey.id}/${act}`)).status, 403, act);
  assert.equal((await ask("", { ...wanted, allowedCidrs: ["192.0.2.0/24"] })).status, 200);
  assert.equal((await ask(`/${apiKey.id}/rotate`)).status, 200);
});

test("a rotated key's old value stops at once, or after the overlap that was asked for", async () => {
  const user = await createUser();
  const { team, scope, apiKey, value: first } = await createTeamKey(client, user);
  const rotate = (body?: object) =>
    request("POST", `/v1/api-keys/${apiKey.id}/rotate${scope}`, { token: user.token, ...(body ? { body } : {}) });

  const second = (await rotate()).body.value;
  assert.notEqual(second, first);
  assert.equal((await readKeys(client, first)).status, 401);
  // Not even a clock that is set back revives it.
  clock.advance(-1);
  assert.equal((await readKeys(client, first)).status, 401);
  clock.advance(1);
  assert.equal((await readEvents(team.id)).at(-1)?.next.previousExpiresAt, null);
  assert.equal((await readKeys(client, second)).status, 200);

  const third = await rotate({ overlapMs: HOUR_MS });
  assert.equal(third.headers["etag"], '"3"');
  assert.equal(third.body.apiKey.id, apiKey.id);
  assert.equal(third.body.apiKey.suffix, third.body.value.slice(-4));
  assert.equal(third.body.apiKey.previousExpiresAt, clock.now + HOUR_MS);
  clock.advance(HOUR_MS - 1);
  assert.equal((await readKeys(client, second)).status, 200);
  const pending = await rotate({ overlapMs: HOUR_MS });
  assert.equal(pending.status, 409);
  assert.equal(pending.body.error.code, "rotation_pending");
  clock.advance(1);
  assert.equal((await readKeys(client, second)).status, 401);
  assert.equal((await readKeys(client, third.body.value)).status, 200);

  const fourth = await rotate({ overlapMs: DAY_MS });
  const fifth = await rotate({ overlapMs: HOUR_MS, force: true });
  assert.equal((await readKeys(client, third.body.value)).status, 401, "the value before last stops at once");
  assert.equal((await readKeys(client, fourth.body.value)).status, 200);
  assert.equal((await readKeys(client, fifth.body.value)).status, 200);

  const events = await readEvents(team.id);
  const rotation = events.at(-1);
  assert.equal(rotation?.type, "user-token-created");
  assert.deepEqual(rotation?.next, {
    suffix: fifth.body.apiKey.suffix,
    previousExpiresAt: fifth.body.apiKey.previousExpiresAt,
  });
  const recorded = JSON.stringify(events);
  for (const value of [first, second, third.body.value, fifth.body.value]) assert.ok(!recorded.includes(value));
});

test("the value before a rotation cannot extend its own life while it still works", async () => {
  const { apiKey, value: old } = await createTeamKey(client, await createUser());
  const fresh = await request("POST", `/v1/api-keys/${apiKey.id}/rotate`, { token: old, body: { overlapMs: HOUR_MS } });
  assert.equal(fresh.status, 200, fresh.text);
  const child = await createKey(client, old);
  assert.equal(child.status, 403, "it ends within the hour, and what it makes would not");
  assert.equal(child.body.error.field, "body.expiresAt");
  const again = await request("POST", `/v1/api-keys/${apiKey.id}/rotate`, { token: old, body: { force: true } });
  assert.equal(again.status, 403);
  assert.equal((await createKey(client, old, "", { expiresAt: clock.now + HOUR_MS })).status, 200);
  assert.equal((await readKeys(client, fresh.body.value)).status, 200);
});

test("an idempotency key that was used before a rotation is refused, and the request is not carried out again", async () => {
  const { apiKey, value } = await createTeamKey(client, await createUser());
  const headers = { "idempotency-key": "around-the-rotation" };
  const body = { name: "once", role: "VIEWER" };
  assert.equal((await request("POST", "/v1/api-keys", { token: value, headers, body })).status, 200);
  const rotated = await request("POST", `/v1/api-keys/${apiKey.id}/rotate`, { token: value });
  const { value: present } = rotated.body;
  const retried = await request("POST", "/v1/api-keys", { token: present, headers, body });
  assert.equal(retried.status, 422);
  assert.equal(retried.body.error.code, "idempotency_key_reused");
  assert.match(retried.body.error.message, /before the credential got its present value/);
  assert.equal((await readKeys(client, present)).body.apiKeys.length, 2);
});

test("a stale If-Match rotates and deletes nothing", async () => {
  const user = await createUser();
  const { scope, apiKey, value } = await createTeamKey(client, user);
  const headers = { "if-match": '"7"' };
  const url = `/v1/api-keys/${apiKey.id}`;
  assert.equal((await request("POST", `${url}/rotate${scope}`, { token: user.token, headers })).status, 412);
  assert.equal((await request("DELETE", `${url}${scope}`, { token: user.token, headers })).status, 412);
  assert.equal((await readKeys(client, value)).status, 200);
});

test("a deleted key is refused by the next request, and its deletion is an event", async () => {
  const user = await createUser();
  const { team, scope, apiKey, value } = await createTeamKey(client, user);
  const deleted = await request("DELETE", `/v1/api-keys/${apiKey.id}${scope}`, { token: user.token });
  assert.deepEqual(deleted.body, { id: apiKey.id, keyId: apiKey.id });
  assert.equal((await readKeys(client, value)).status, 401);
  assert.equal((await request("GET", `/v1/api-keys/${apiKey.id}${scope}`, { token: user.token })).status, 404);
  const event = (await readEvents(team.id)).at(-1);
  assert.equal(event?.type, "user-token-deleted");
  assert.equal(event?.payload.tokenType, "api-key");
  assert.deepEqual(event?.previous, { name: "deploy", role: "OWNER", expiresAt: null });
});

test("keys of a suspended or deleted user stop at once", async () => {
  const user = await createUser();
  const { value } = (await createKey(client, user.token, "")).body;
  const suspend = (suspended: boolean) => request("PATCH", `/v1/users/${user.id}`, { body: { suspended } });
  await suspend(true);
  assert.equal((await readKeys(client, value)).status, 401);
  await suspend(false);
  assert.equal((await readKeys(client, value)).status, 200);
  assert.equal((await request("DELETE", "/v1/user", { token: user.token })).status, 202);
  assert.equal((await readKeys(client, value)).status, 401);
});

test("of ten concurrent rotations with an overlap one succeeds", async () => {
  const user = await createUser();
  const { scope, apiKey } = await createTeamKey(client, user);
  const responses = await Promise.all(
    Array.from({ length: 10 }, () =>
      request("POST", `/v1/api-keys/${apiKey.id}/rotate${scope}`, { token: user.token, body: { overlapMs: HOUR_MS } }),
    ),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  assert.ok(responses.every(({ status, body }) => status === 200 || body.error.code === "rotation_pending"));
});
