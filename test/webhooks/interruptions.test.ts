// Interruptions of deliveries in flight: a clock that is set, and the end of the process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { areDelivered, attemptsOf, deliveriesOf, lookNow, openOwner, untilStored } from "./webhook-world.ts";

const api = await startOwnApp(LOOPBACK, undefined, { delivery: { stopGraceMs: 300 } });

for (const [way, ms, recorded] of [
  ["forward", 10 * MINUTE_MS, 20],
  // Without repair, deliveries that were recorded at later times would wait for them.
  ["back", -HOUR_MS, 4],
] as const) {
  test(`a clock that is set ${way} causes no duplicates, no more deliveries at once, and no delay`, async () => {
    const owner = await openOwner(api);
    const receiver = await startReceiver();
    const { promise: isSet, resolve } = Promise.withResolvers<void>();
    let open = 0;
    let most = 0;
    receiver.respond((response) => {
      open++;
      most = Math.max(most, open);
      void isSet.then(() => {
        open--;
        response.end();
      });
    });
    const { id } = await owner.hook(receiver.url);
    await owner.publishMany(recorded);
    await receiver.until(({ length }) => length === 4);
    // After the end of the process's lease, or long before it.
    api.clock.advance(ms);
    await owner.publish();
    await lookNow(api);
    await lookNow(api);
    assert.equal(receiver.received.length, 4);
    resolve();
    await untilStored(api, id, areDelivered(recorded + 1));
    assert.deepEqual([receiver.received.length, most], [recorded + 1, 4]);
    await owner.publish();
    await untilStored(api, id, areDelivered(recorded + 2));
  });
}

test("a process that lost a lease to another stores the outcome of what it sent, and leaves the rest to the other", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { promise: isTaken, resolve } = Promise.withResolvers<void>();
  receiver.respond((response) => void isTaken.then(() => response.end()));
  const { id } = await owner.hook(receiver.url, { concurrency: 1 });
  await owner.publishMany(3);
  await receiver.until(({ length }) => length === 1);
  // Another process does this when this one was suspended for more than a minute.
  const heldUntil = api.clock.now + MINUTE_MS;
  const isIt = `webhook_id = '${id}'`;
  await api.withStore((store) =>
    store.transaction((tx) =>
      tx.exec(
        `update webhook_queues set holder = 'another', held_until = ${heldUntil}, ready_at = ${heldUntil} where ${isIt}`,
      ),
    ),
  );
  resolve();
  await waitFor(
    "the first to be stored",
    async () => (await deliveriesOf(api, id))[0]?.state === "delivered" || undefined,
  );
  // It may have read ahead, and reads again before it sends what it read a while ago.
  await lookNow(api);
  const [queue] = await api.query(`select holder, held_until from webhook_queues where ${isIt}`);
  assert.deepEqual([queue?.["holder"], Number(queue?.["held_until"])], ["another", heldUntil]);
  const { length } = receiver.received;
  api.clock.now = heldUntil;
  await untilStored(api, id, areDelivered(3));
  assert.ok(receiver.received.length >= 3 && receiver.received.length <= 3 + length);
});

test("a process that stops cuts off requests that hang, which do not count as attempts, and the next process goes on at once", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond((response, { body }) => {
    if (body.payload.n >= 2) response.end();
  });
  const { id } = await owner.hook(receiver.url);
  await owner.publishMany(4);
  await receiver.until(({ length }) => length === 4);
  await waitFor("the two that were answered to be stored", async () => {
    return (await deliveriesOf(api, id)).filter(({ state }) => state === "delivered").length === 2;
  });
  await api.app.close();
  const stopped = await deliveriesOf(api, id);
  assert.deepEqual(
    stopped.map(({ state, attempts }) => [state, attempts]),
    [
      ["pending", 0],
      ["pending", 0],
      ["delivered", 1],
      ["delivered", 1],
    ],
  );
  const [queue] = await api.query(`select holder, ready_at from webhook_queues where webhook_id = '${id}'`);
  assert.equal(queue?.["holder"], null);
  assert.ok(Number(queue?.["ready_at"]) <= api.clock.now);
  receiver.respond(200);
  const app = await api.startAnother();
  await untilStored(api, id, areDelivered(4));
  assert.equal((await attemptsOf(api, id)).length, 4);
  assert.equal(receiver.received.length, 6);
  await app.close();
});
