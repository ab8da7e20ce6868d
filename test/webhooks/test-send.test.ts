// Tests of webhooks: their report, what they store, and how many may be in flight.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { MAX_TESTS } from "../../src/events/webhooks/contract.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { deliveriesOf, openOwner } from "./webhook-world.ts";

const api = await startOwnApp(LOOPBACK);

test("a test is signed and sent at once, and stands in the log as a delivery", async () => {
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
  const log = await owner.call("GET", `/v1/webhooks/${hook.id}/deliveries/${body.deliveryId}`);
  const { delivery, attempts, requestBody: logged } = log.body;
  assert.deepEqual(sent.body, {
    id: sent.headers["webhook-id"],
    type: "test-webhook",
    createdAt: delivery.createdAt,
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
  assert.equal(delivery.id, sent.headers["webhook-id"]);
  assert.deepEqual(
    [delivery.type, delivery.state, delivery.attempts, delivery.status, delivery.nextAttemptAt, logged],
    ["test-webhook", "failed", 1, 503, null, sent.text],
  );
  assert.deepEqual([attempts.length, attempts[0].responseBody], [1, "busy"]);
  const [event] = (await api.readEvents(owner.id)).filter(({ type }) => type === "webhook-test");
  assert.deepEqual([event?.entityId, event?.payload["webhookUrl"]], [hook.id, receiver.url]);
});

test("a test goes to its webhook alone; to others it is an event like any other", async () => {
  const owner = await openOwner(api);
  const [tested, other] = [await startReceiver(), await startReceiver()];
  const { id } = await owner.hook(tested.url, { events: ["*"] });
  const { id: otherId } = await owner.hook(other.url, { events: ["webhook-test"] });
  assert.equal((await owner.call("POST", `/v1/webhooks/${id}/test`)).body.delivered, true);
  await other.until(({ length }) => length === 1);
  const typesOf = async (hook: string) => (await deliveriesOf(api, hook)).map(({ type }) => type);
  assert.deepEqual(await typesOf(id), ["webhook-created", "webhook-created", "test-webhook"]);
  assert.deepEqual(await typesOf(otherId), ["webhook-test"]);
  assert.equal(other.received[0]?.body["payload"]["webhookId"], id);
});

test("a test is sent again by hand with its id and body, but by no replay", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond(500);
  const { id } = await owner.hook(receiver.url);
  const { body } = await owner.call("POST", `/v1/webhooks/${id}/test`);
  receiver.respond(200);
  const { replay } = (await owner.call("POST", `/v1/webhooks/${id}/replay`, {})).body;
  assert.equal(replay.queued, 0);
  await owner.call("POST", `/v1/webhooks/${id}/deliveries/${body.deliveryId}/redeliver`, {});
  await receiver.until(({ length }) => length === 2);
  const [first, second] = receiver.received;
  assert.deepEqual([second?.text, second?.headers["webhook-id"]], [first?.text, first?.headers["webhook-id"]]);
});

test("a call that is repeated with its idempotency key gets the report again", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url, { active: false });
  const again = () =>
    send(api.app, "POST", `/v1/webhooks/${id}/test`, { token: owner.token, headers: { "idempotency-key": "one" } });
  const [first, second] = [await again(), await again()];
  assert.equal(first.status, 200, first.text);
  assert.deepEqual(second.body, first.body);
  assert.equal(receiver.received.length, 1);
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
  const sendTest = () => owner.call("POST", `/v1/webhooks/${id}/test`);
  const inFlight: Promise<TestResponse>[] = Array.from({ length: MAX_TESTS }, sendTest);
  await receiver.until(({ length }) => length === MAX_TESTS);
  const refused = await sendTest();
  assert.deepEqual([refused.status, refused.body.error.code], [429, "too_many_requests"], refused.text);
  assert.ok(Number(refused.headers["retry-after"]) > 0);
  const unsent = (await deliveriesOf(api, id)).filter(({ errorStage }) => errorStage === "unsent");
  assert.deepEqual(
    unsent.map(({ state, dueAt }) => [state, dueAt]),
    [["failed", null]],
  );
  receiver.respond(200);
  const theirs = await other.hook(receiver.url, { active: false });
  assert.equal((await other.call("POST", `/v1/webhooks/${theirs.id}/test`)).body.delivered, true);
  for (const response of hanging) response.end();
  for (const answer of inFlight) assert.equal((await answer).body.delivered, true);
  assert.equal((await sendTest()).body.delivered, true);
});
