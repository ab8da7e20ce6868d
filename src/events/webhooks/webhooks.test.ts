import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { MAX_WEBHOOKS } from "./webhook-schema.ts";

// Nothing listens at this address, and inactive webhooks are sent nothing.
const api = await startOwnApp({ egressAllow: "127.0.0.1" });
const URL = "http://127.0.0.1:8999/hook";
const HOOK = { url: URL, events: ["secret-add"], active: false };

async function newOwner() {
  const owner = await api.createUser();
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }), headers });
  const create = async (more: object = {}) => (await call("POST", "/v1/webhooks", { ...HOOK, ...more })).body;
  return { ...owner, call, create };
}

test("a webhook is created with a secret that is not shown again, listed, and deleted", async () => {
  const { id: ownerId, call } = await newOwner();
  const created = await call("POST", "/v1/webhooks", { url: URL, events: ["secret-add", "team-*"], active: false });
  assert.equal(created.status, 200, created.text);
  const { secret, ...webhook } = created.body;
  assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/);
  assert.match(webhook.id, /^account_hook_/);
  assert.equal(webhook.ownerId, ownerId);
  assert.equal("projectIds" in webhook, false);
  const read = await call("GET", `/v1/webhooks/${webhook.id}`);
  assert.deepEqual(read.body, webhook);
  assert.equal(read.headers["etag"], '"1"');
  assert.deepEqual((await call("GET", "/v1/webhooks")).body, [{ ...webhook, projectsMetadata: null }]);
  const gone = await call("DELETE", `/v1/webhooks/${webhook.id}`);
  assert.deepEqual([gone.status, gone.text], [204, ""]);
  assert.equal((await call("GET", `/v1/webhooks/${webhook.id}`)).status, 404);
  assert.equal((await call("DELETE", `/v1/webhooks/${webhook.id}`)).status, 404);
  assert.deepEqual((await call("GET", "/v1/webhooks")).body, []);
  const events = (await api.readEvents(ownerId)).filter(({ type }) => type.startsWith("webhook-"));
  assert.deepEqual(
    events.map(({ type, payload }) => [type, payload.webhookUrl]),
    [
      ["webhook-created", URL],
      ["webhook-deleted", URL],
    ],
  );
});

test("an invalid URL, event or header is refused with its field", async () => {
  const { call } = await newOwner();
  const cases = [
    [{ url: "ftp://example.com/" }, "body.url"],
    [{ url: "https://user:pass@example.com/" }, "body.url"],
    [{ url: "http://10.0.0.1/" }, "body.url"],
    [{ url: "https://93.184.216.34:22/" }, "body.url"],
    [{ events: ["secret-ad"] }, "body.events[0]"],
    [{ events: [] }, "body.events"],
    [{ headers: { host: "example.org" } }, "body.headers.host"],
    [{ headers: { "Webhook-Id": "1" } }, "body.headers.Webhook-Id"],
    [{ headers: { "x-vercel-signature-previous": "1" } }, "body.headers.x-vercel-signature-previous"],
    [{ headers: { "x-a": "1", "X-A": "2" } }, "body.headers.X-A"],
    [{ headers: { "x-a": "two\r\nlines" } }, "body.headers.x-a"],
    [{ headers: { "x a": "1" } }, "body.headers"],
    [{ projectIds: [] }, "body.projectIds"],
    [{ concurrency: 65 }, "body.concurrency"],
  ] as const;
  const { id } = (await call("POST", "/v1/webhooks", HOOK)).body;
  for (const [wrong, field] of cases) {
    for (const refused of [
      await call("POST", "/v1/webhooks", { ...HOOK, ...wrong }),
      await call("PATCH", `/v1/webhooks/${id}`, wrong),
    ]) {
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.body.error.field, field, refused.text);
    }
  }
  assert.match((await call("POST", "/v1/webhooks", { ...HOOK, events: ["secret-ad"] })).text, /secret-add/);
  assert.equal((await call("GET", "/v1/webhooks")).body.length, 1);
});

test("a change replaces the given members, increments the revision, and records both states without header values", async () => {
  const { id: ownerId, call, create } = await newOwner();
  const { id, secret: _secret, ...webhook } = await create({ headers: { Authorization: "Bearer s3cret" } });
  const path = `/v1/webhooks/${id}`;
  assert.deepEqual(webhook.headerNames, ["authorization"]);
  assert.equal((await call("PATCH", path, { description: "x" }, { "if-match": '"7"' })).status, 412);
  const change = { projectIds: ["web"], description: "CI", rateLimit: 5, ordering: "strict", keyPair: true };
  const changed = await call("PATCH", path, change);
  assert.equal(changed.headers["etag"], '"2"', changed.text);
  assert.match(changed.body.publicKey, /^whpk_/);
  const { keyPair: _keyPair, ...visible } = change;
  assert.deepEqual(changed.body, { ...webhook, id, ...visible, publicKey: changed.body.publicKey });
  const idle = await call("PATCH", path, { ordering: "strict", projectIds: ["web"] });
  assert.equal(idle.headers["etag"], '"2"');
  const cleared = { projectIds: null, description: null, rateLimit: null, headers: null, keyPair: false };
  const back = (await call("PATCH", path, cleared)).body;
  assert.deepEqual(back, {
    ...webhook,
    id,
    ordering: "strict",
    headerNames: [],
    logResponses: true,
    updatedAt: back.updatedAt,
  });
  const events = (await api.readEvents(ownerId)).filter(({ type }) => type === "webhook-updated");
  assert.equal(events.length, 2);
  assert.equal(JSON.stringify(events).includes("s3cret"), false);
  assert.deepEqual(events[1]?.previous.headerNames, ["authorization"]);
});

test("the values of headers are sent to no other URL unless they are given again", async () => {
  const { call, create } = await newOwner();
  const { id } = await create({ headers: { Authorization: "Bearer s3cret" } });
  const path = `/v1/webhooks/${id}`;
  const url = `${URL}/elsewhere`;
  const refused = await call("PATCH", path, { url });
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.headers"], refused.text);
  assert.equal((await call("PATCH", path, { url: URL, description: "the same" })).status, 200);
  assert.deepEqual((await call("PATCH", path, { url, headers: { "X-Own": "1" } })).body.headerNames, ["x-own"]);
  assert.deepEqual((await call("PATCH", path, { url: URL, headers: null })).body.headerNames, []);
  assert.equal((await call("PATCH", path, { url })).body.url, url);
});

test("a rotated secret overlaps with the previous one, and a second rotation during the overlap is refused unless forced", async () => {
  const { call, create } = await newOwner();
  const { id, secret, publicKey } = await create({ keyPair: true });
  const path = `/v1/webhooks/${id}/rotate-secret`;
  const rotated = await call("POST", path);
  assert.equal(rotated.body.previousSecretExpiresAt, api.clock.now + DAY_MS, rotated.text);
  assert.notEqual(rotated.body.secret, secret);
  assert.notEqual(rotated.body.publicKey, publicKey);
  const pending = await call("POST", path, { overlapMs: 0 });
  assert.deepEqual([pending.status, pending.body.error.code], [409, "rotation_pending"]);
  const forced = await call("POST", path, { overlapMs: 60_000, force: true });
  assert.equal(forced.body.previousSecretExpiresAt, api.clock.now + 60_000, forced.text);
  assert.equal((await call("GET", "/v1/webhooks")).body[0].previousSecretExpiresAt, api.clock.now + 60_000);
  const atOnce = await call("POST", path, { overlapMs: 0, force: true });
  assert.equal(atOnce.body.previousSecretExpiresAt, null);
  assert.equal((await call("POST", path, { overlapMs: 0 })).status, 200);
  assert.equal((await call("POST", path, undefined, { "if-match": '"1"' })).status, 412);
});

test("an owner has at most a hundred, in pages, and filters by project", async () => {
  const { call, create } = await newOwner();
  for (let count = 0; count < MAX_WEBHOOKS; count++) {
    await create({
      description: String(count),
      ...(count % 2 === 0 ? {} : { projectIds: [count === 1 ? "web" : "api"] }),
    });
  }
  const tooMany = await call("POST", "/v1/webhooks", HOOK);
  assert.equal(tooMany.body.error.code, "too_many_webhooks", tooMany.text);
  const all = (await call("GET", "/v1/webhooks")).body;
  assert.equal(all.length, MAX_WEBHOOKS);
  assert.equal((await call("GET", "/v1/webhooks?projectId=web")).body.length, MAX_WEBHOOKS / 2 + 1);
  assert.equal((await call("GET", "/v1/webhooks?projectId=eb")).body.length, MAX_WEBHOOKS / 2);
  assert.equal((await call("GET", `/v1/webhooks?projectId=${encodeURIComponent('","')}`)).status, 400);
  const paged: string[] = [];
  for (let path: string | undefined = "/v1/webhooks?limit=40"; path;) {
    const page = await call("GET", path);
    paged.push(...page.body.map(({ id }: { id: string }) => id));
    path = /<([^>]*)>; rel="next"/.exec(page.headers["link"] ?? "")?.[1];
  }
  assert.deepEqual(
    paged,
    all.map(({ id }: { id: string }) => id),
  );
  assert.equal((await call("GET", "/v1/webhooks?since=5&until=4")).body.error.code, "invalid_cursor");
  await call("DELETE", `/v1/webhooks/${paged[0]}`);
  assert.equal((await call("POST", "/v1/webhooks", HOOK)).status, 200);
});

test("only members see a team's webhooks, and their roles decide what they may do", async () => {
  const { call } = await newOwner();
  const owner = await api.createUser();
  const team = await api.createTeam(owner);
  const made = await api.request("POST", `/v1/webhooks?teamId=${team.id}`, { token: owner.token, body: HOOK });
  assert.equal(made.body.ownerId, team.id, made.text);
  for (const [method, path] of [
    ["GET", `/v1/webhooks/${made.body.id}`],
    ["GET", `/v1/webhooks/${made.body.id}?teamId=${team.id}`],
    ["POST", `/v1/webhooks/${made.body.id}/test`],
    ["DELETE", `/v1/webhooks/${made.body.id}`],
  ] as const) {
    assert.equal((await call(method, path)).status, 404, `${method} ${path}`);
  }
  await api.request("DELETE", `/v1/teams/${team.id}`, { token: owner.token });
  assert.deepEqual(await api.query(`select id from webhooks where owner_id = '${team.id}'`), []);
  const [known] = await api.query(`select webhooks from owners where id = '${team.id}'`);
  assert.equal(known?.["webhooks"], 0);
});
