// Tests of webhooks: their report, what they store, and how many may be in flight.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { MAX_TESTS } from "../../src/events/webhooks/contract.ts";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { deliveriesOf, openOwner } from "./webhook-world.ts";

const api = await startOwnApp(LOOPBACK);

test("a test is signed and sent at once, and nothing but its response remains of it", async () => {
  // Libraries compare a signature's time with the system's clock, and this file may have been loaded minutes ago.
  api.clock.now = Date.now();
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond((response) => response.writeHead(503, { "x-of": "theirs" }).end("busy"));
  const { secret, ...hook } = await owner.hook(receiver.url, {
    active: false,
    headers: { "X-Own": "credential" },
    logResponses: true,
  });
  const { body, text } = await owner.call("POST", `/v1/webhooks/${hook.id}/test`);
  const [sent] = receiver.received;
  assert.ok(sent, text);
  receiver.verify(sent, secret);
  assert.deepEqual(sent.body, {
    id: sent.headers["webhook-id"],
    type: "test-webhook",
    createdAt: api.clock.now,
    region: null,
    payload: { team: null, webhookId: hook.id, message: "This is a test." },
  });
  assert.equal(sent.headers["x-own"], "credential");
  const { delivered, status, requestBody, requestHeaders, responseHeaders, responseBody, isTruncated, error } = body;
  assert.deepEqual(
    { delivered, status, requestBody, responseBody, isTruncated, error },
    { delivered: false, status: 503, requestBody: sent.text, responseBody: "busy", isTruncated: false, error: null },
  );
  assert.equal(requestHeaders["webhook-signature"], sent.headers["webhook-signature"]);
  assert.equal(requestHeaders["x-own"], "(not logged)");
  assert.equal(responseHeaders["x-of"], "theirs");
  assert.deepEqual((await owner.call("GET", `/v1/webhooks/${hook.id}`)).body, hook);
  assert.deepEqual(await deliveriesOf(api, hook.id), []);
});

test("the report of a test without a response has the stage at which it ended", async () => {
  const owner = await openOwner(api);
  const { id } = await owner.hook("http://127.0.0.1:1/", { active: false });
  const { body } = await owner.call("POST", `/v1/webhooks/${id}/test`);
  assert.deepEqual(
    [body.delivered, body.status, body.error.stage, body.requestBody === ""],
    [false, null, "connect", false],
  );
});

test("an owner may have some tests in flight, which does not delay the tests of others", async () => {
  const [owner, other] = [await openOwner(api), await openOwner(api)];
  const receiver = await startReceiver();
  const hanging = new Set<ServerResponse>();
  receiver.respond((response) => void hanging.add(response));
  const { id } = await owner.hook(receiver.url, { active: false });
  const send = () => owner.call("POST", `/v1/webhooks/${id}/test`);
  const inFlight: Promise<TestResponse>[] = Array.from({ length: MAX_TESTS }, send);
  await receiver.until(({ length }) => length === MAX_TESTS);
  const refused = await send();
  assert.deepEqual([refused.status, refused.body.error.code], [429, "too_many_requests"], refused.text);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  receiver.respond(200);
  const theirs = await other.hook(receiver.url, { active: false });
  assert.equal((await other.call("POST", `/v1/webhooks/${theirs.id}/test`)).body.delivered, true);
  for (const response of hanging) response.end();
  for (const answer of inFlight) assert.equal((await answer).body.delivered, true);
  assert.equal((await send()).body.delivered, true);
});
