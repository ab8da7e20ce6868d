// In strict order every event arrives, and none before the delivery of the one before it, whatever the receiver does and whenever the
// process ends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { areDelivered, attemptsOf, deliveriesOf, openOwner } from "./webhook-world.ts";

const api = await startOwnApp(LOOPBACK);
const EVENTS = 60;

/** Returns a generator of numbers from 0 to 1, the same in every run. */
function startChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test("events arrive in their order at a receiver that fails at random, across a restart", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const chance = startChance(1);
  const taken: number[] = [];
  receiver.respond((response, { body }) => {
    const fate = chance();
    if (fate < 0.1) return response.destroy();
    if (fate < 0.2) return response.writeHead(429, { "retry-after": "30" }).end();
    if (fate < 0.35) return response.writeHead(500).end();
    taken.push(body.payload.n);
    return response.end();
  });
  const { id } = await owner.hook(receiver.url, { ordering: "strict", concurrency: 64 });
  await owner.publishMany(EVENTS);
  let app = api.app;
  /** Moves the clock to when the webhook is ready, until so many events were delivered. */
  async function goOn(count: number): Promise<void> {
    await waitFor(`${count} to be taken`, async () => {
      if (taken.length >= count) return true;
      const [queue] = await api.query(`select holder, ready_at from webhook_queues where webhook_id = '${id}'`);
      if (queue?.["holder"] !== null || Number(queue["ready_at"]) <= api.clock.now) return undefined;
      api.clock.now = Number(queue["ready_at"]);
      await app.runner.changes.pruneIdempotencyRecords(null, api.clock.now);
      return undefined;
    });
  }
  await goOn(EVENTS / 2);
  await app.close();
  app = await api.startAnother();
  await goOn(EVENTS);
  const deliveries = await waitFor("all to be stored", async () => {
    const stored = await deliveriesOf(api, id);
    return areDelivered(EVENTS)(stored) ? stored : undefined;
  });
  // An event that was delivered while the process ended may have been sent again; no other one arrived before it.
  const order = receiver.received.map(({ body }) => body.payload.n as number);
  assert.deepEqual(
    order.toSorted((a, b) => a - b),
    order,
  );
  assert.deepEqual(
    [...new Set(taken)],
    Array.from({ length: EVENTS }, (_, n) => n),
  );
  const attempts = await attemptsOf(api, id);
  assert.equal(
    deliveries.reduce((sum, one) => sum + one.attempts, 0),
    attempts.length,
  );
  assert.ok(attempts.length > EVENTS && attempts.length <= receiver.received.length);
  assert.ok(receiver.received.length - attempts.length <= 1);
  await app.close();
});
