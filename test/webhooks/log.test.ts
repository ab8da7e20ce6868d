// The log of attempts, and redelivery.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { KEPT_ATTEMPTS } from "../../src/events/queue/vocabulary.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK } from "./receiver.ts";
import { createWebhookOwner } from "./webhook-owner.ts";
import type { Delivery } from "./webhook-owner.ts";

const api = await startOwnApp(LOOPBACK);
const KIBIBYTE = 1_024;
/** How a receiver asks for an hour without requests, beside status 503. */
const PAUSE = { "retry-after": "3600" };

test("the log has every attempt: what was sent, the response, and the stage at which it ended", async () => {
  const { path, receiver, call, publish, until } = await createWebhookOwner(api, {
    headers: { Authorization: "Bearer s3cret-of-mine" },
    logResponses: true,
  });
  receiver.respond((response, { headers }) => {
    response.writeHead(500, { "content-type": "text/plain", "x-seen": String(headers["webhook-id"]) });
    response.end("é".repeat(20 * KIBIBYTE));
  });
  const firstAt = api.clock.now;
  await publish();
  const [waiting] = await until(([first]) => first?.attempts === 1);
  assert.ok(waiting);
  assert.ok(Number.isInteger(waiting.durationMs), "how long the attempt took is in the list");
  assert.equal(waiting.state, "pending");
  receiver.respond((response) => response.destroy());
  api.clock.advance(6 * SECOND_MS);
  await until(([first]) => first?.attempts === 2);
  receiver.respond(204);
  api.clock.advance(6 * MINUTE_MS);
  await until(([first]) => first?.state === "delivered");
  const { delivery, requestBody, attempts } = (await call("GET", `${path}/deliveries/${waiting.id}`)).body;
  assert.equal(delivery.lastAttemptAt, api.clock.now);
  assert.deepEqual([delivery.status, delivery.errorStage, delivery.nextAttemptAt], [204, null, null]);
  assert.deepEqual(
    receiver.received.map(({ text }) => text),
    [requestBody, requestBody, requestBody],
  );
  assert.deepEqual(
    attempts.map(({ number, status, error, startedAt }: Record<string, never>) => [
      number,
      status,
      error?.["stage"] ?? null,
      startedAt,
    ]),
    [
      [3, 204, null, api.clock.now],
      [2, null, "response", firstAt + 6 * SECOND_MS],
      [1, 500, null, firstAt],
    ],
  );
  assert.equal(delivery.durationMs, attempts[0].durationMs);
  const [, , first] = attempts;
  assert.equal(Buffer.byteLength(first.responseBody), 16 * KIBIBYTE);
  assert.equal(first.isTruncated, true);
  assert.equal(first.responseHeaders["x-seen"], waiting.id);
  const [received] = receiver.received;
  assert.equal(received?.headers["authorization"], "Bearer s3cret-of-mine");
  assert.equal(first.requestHeaders["authorization"], "(not logged)");
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature", "x-vercel-signature", "user-agent"]) {
    assert.equal(first.requestHeaders[name], received?.headers[name], name);
  }
  const stored = await api.query("select request_headers from webhook_attempts");
  assert.equal(JSON.stringify(stored).includes("s3cret-of-mine"), false);
});

test("a delivered, failed or skipped delivery is redelivered at once, with tries of its own", async () => {
  const { id: ownerId, path, receiver, call, publish, until } = await createWebhookOwner(api);
  receiver.respond((response) => response.writeHead(500, { "webhook-delivery": "abort-message" }).end());
  await publish();
  await until(([first]) => first?.state === "failed");
  receiver.respond(200);
  await publish();
  await until(([second]) => second?.state === "delivered");
  const off = await call("PATCH", path, { active: false });
  assert.equal(off.status, 200, off.text);
  await publish();
  const log = await until(({ length }) => length === 3);
  assert.deepEqual(
    log.map(({ state, attempts }) => [state, attempts]),
    [
      ["skipped", 0],
      ["delivered", 1],
      ["failed", 1],
    ],
  );
  const redeliver = ({ id }: Delivery) => call("POST", `${path}/deliveries/${id}/redeliver`);
  const refused = await redeliver(log[0] as Delivery);
  assert.deepEqual([refused.status, refused.body.error.code], [409, "webhook_inactive"], refused.text);
  assert.equal(refused.body.error.inactiveReason, "request");
  await call("PATCH", path, { active: true });
  for (const delivery of log) {
    const { status, body, text } = await redeliver(delivery);
    assert.equal(status, 200, text);
    const { state, attempts, nextAttemptAt } = body.delivery;
    assert.deepEqual([state, attempts], ["pending", delivery.attempts]);
    assert.ok(nextAttemptAt <= api.clock.now);
  }
  const again = await until((deliveries) => deliveries.every(({ state }) => state === "delivered"));
  assert.deepEqual(
    again.map(({ attempts }) => attempts),
    [1, 2, 2],
  );
  const sent = receiver.received.map(({ headers }) => String(headers["webhook-id"])).slice(2);
  assert.deepEqual(sent.toSorted(), log.map(({ id }) => id).toSorted());
  const events = (await api.readEvents(ownerId)).filter(({ type }) => type === "webhook-redeliver");
  assert.deepEqual(
    events.map(({ payload, previous, next }) => [payload.deliveryId, previous.state, next.state]),
    log.map(({ id, state }) => [id, state, "pending"]),
  );
});

test("a redelivery does not wait for the cool-down of its receiver", async () => {
  const { path, receiver, call, publish, until } = await createWebhookOwner(api, { ordering: "strict" });
  receiver.respond((response) => response.writeHead(503, PAUSE).end());
  await publish();
  const [delivery] = await until(([first]) => first?.attempts === 1);
  await publish();
  receiver.respond(200);
  await call("POST", `${path}/deliveries/${delivery?.id}/redeliver`);
  // The delivery behind it was waiting for it.
  await until((deliveries) => deliveries.every(({ state }) => state === "delivered"));
  assert.deepEqual(
    receiver.received.map(({ body }) => body.sequence - (delivery?.sequence ?? 0)),
    [0, 0, 1],
  );
});

test("a delivery that is redelivered while its attempt is in flight is retried if the attempt fails, and not if it succeeds", async () => {
  const { path, receiver, call, publish, until } = await createWebhookOwner(api);
  const holdUp = () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    receiver.respond((response) => void promise.then((status) => response.writeHead(status, PAUSE).end()));
    return resolve;
  };
  receiver.respond(500);
  await publish();
  const [delivery] = await until(([first]) => first?.attempts === 1);
  for (const [status, attempts] of [
    [503, 3],
    [200, 4],
  ] as const) {
    const answer = holdUp();
    const seen = receiver.received.length;
    api.clock.advance(MINUTE_MS);
    await receiver.until(({ length }) => length === seen + 1);
    const asked = await call("POST", `${path}/deliveries/${delivery?.id}/redeliver`);
    assert.equal(asked.status, 200, asked.text);
    receiver.respond(500);
    answer(status);
    const [first] = await until(([one]) => one?.attempts === attempts);
    assert.equal(first?.state, status === 200 ? "delivered" : "pending");
  }
});

test("the newest attempts are kept of a delivery that is redelivered often", async () => {
  const { webhookId, path, call, publish, until } = await createWebhookOwner(api);
  await publish();
  const [delivery] = await until(([first]) => first?.state === "delivered");
  const its = `webhook_id = '${webhookId}'`;
  await api.query(`update webhook_deliveries set attempts = ${KEPT_ATTEMPTS} where ${its}`);
  for (let number = 2; number <= KEPT_ATTEMPTS; number++) {
    await api.query(`insert into webhook_attempts (webhook_id, sequence, number, started_at, duration_ms,
        request_headers, response_headers, response_body, is_truncated)
      select webhook_id, sequence, ${number}, started_at, 1, '{}', '{}', '', 0
      from webhook_attempts where ${its} and number = 1`);
  }
  await call("POST", `${path}/deliveries/${delivery?.id}/redeliver`);
  await until(([first]) => first?.attempts === KEPT_ATTEMPTS + 1);
  const { attempts } = (await call("GET", `${path}/deliveries/${delivery?.id}`)).body;
  assert.deepEqual(
    [attempts.length, attempts[0].number, attempts.at(-1).number],
    [KEPT_ATTEMPTS, KEPT_ATTEMPTS + 1, 2],
  );
  assert.equal((await api.query(`select number from webhook_attempts where ${its}`)).length, KEPT_ATTEMPTS);
});
