// No receiver delays another one, and none gets more requests at once than its webhook allows.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import { areDelivered, lookNow, openOwner, untilStored } from "./webhook-world.ts";

/** A receiver hangs for as long as the test wants, however slow the machine is. */
const totalTimeoutMs = HOUR_MS;
// The clock moves only when a test moves it, so a cool-down lasts for as long as the test wants, too.
const api = await startOwnApp(LOOPBACK, undefined, { delivery: { totalTimeoutMs } });

/** Starts a receiver that keeps its requests open until it is told to respond, and counts how many were open at once. */
async function startHanging() {
  const receiver = await startReceiver();
  const open = new Set<ServerResponse>();
  let most = 0;
  receiver.respond((response) => {
    open.add(response);
    most = Math.max(most, open.size);
    response.once("close", () => open.delete(response));
  });
  return {
    ...receiver,
    open,
    get most() {
      return most;
    },
    hangUp() {
      for (const response of open) response.destroy();
    },
    respondToAll(status = 200) {
      for (const response of open) response.writeHead(status).end();
      open.clear();
    },
  };
}

test("a slow response delays no other delivery of its webhook", async () => {
  const owner = await openOwner(api);
  const receiver = await startHanging();
  await owner.hook(receiver.url);
  for (let count = 1; count <= 4; count++) {
    await owner.publish();
    await receiver.until(({ length }) => length === count);
  }
  assert.equal(receiver.open.size, 4);
  receiver.respondToAll();
});

test("a webhook has as many deliveries in flight as it allows, and no more", async () => {
  const owner = await openOwner(api);
  for (const concurrency of [1, 3]) {
    const receiver = await startHanging();
    const { id } = await owner.hook(receiver.url, { concurrency });
    await owner.publishMany(12);
    for (let answered = 0; answered < 12; answered += concurrency) {
      await receiver.until(({ length }) => length === answered + concurrency);
      receiver.respondToAll();
    }
    await untilStored(api, id, areDelivered(12));
    assert.equal(receiver.most, concurrency);
    await owner.call("DELETE", `/v1/webhooks/${id}`);
  }
});

test("a receiver that hangs with hundreds of waiting deliveries delays no other one, and cools down when it keeps failing", async () => {
  const owner = await openOwner(api);
  const dead = await startHanging();
  const { id } = await owner.hook(dead.url);
  await owner.publishMany(400);
  await dead.until(({ length }) => length === 4);
  const living = await startReceiver();
  await owner.hook(living.url);
  await owner.publishMany(200);
  await living.until(({ length }) => length === 200);
  assert.equal(dead.received.length, 4);
  dead.respond((response) => response.destroy());
  dead.hangUp();
  // One by one, until it has failed five times in a row; then it cools down, and the clock stands.
  const deliveries = await untilStored(api, id, (all) => all.filter(({ attempts }) => attempts > 0).length === 8);
  assert.equal(dead.received.length, 8);
  assert.ok(deliveries.every(({ state, attempts }) => state === "pending" && attempts <= 1));
});

test("a failing receiver gets one delivery at a time, which costs the other deliveries no attempt, and it catches up", async () => {
  const owner = await openOwner(api);
  const receiver = await startHanging();
  const { id } = await owner.hook(receiver.url);
  await owner.publishMany(60);
  await receiver.until(({ length }) => length === 4);
  receiver.respondToAll(500);
  const tried = (count: number) =>
    untilStored(api, id, (all) => all.filter((one) => one.attempts > 0).length === count);
  for (let count = 5; count <= 8; count++) {
    await receiver.until(({ length }) => length === count);
    assert.equal(receiver.open.size, 1);
    receiver.respondToAll(500);
  }
  for (let count = 9; count <= 16; count++) {
    await tried(count - 1);
    api.clock.advance(5 * MINUTE_MS);
    await lookNow(api);
    await receiver.until(({ length }) => length === count);
    assert.equal(receiver.open.size, 1);
    receiver.respondToAll(500);
  }
  const deliveries = await tried(16);
  assert.ok(deliveries.every(({ attempts }) => attempts <= 1));
  receiver.respond(200);
  api.clock.advance(6 * MINUTE_MS);
  await untilStored(api, id, areDelivered(60));
  assert.equal(receiver.received.length, 16 + 60);
});

test("attempts that fail together count as one failure: a receiver that restarts does not cool down for minutes", async () => {
  const owner = await openOwner(api);
  const receiver = await startHanging();
  const { id } = await owner.hook(receiver.url, { concurrency: 20 });
  await owner.publishMany(40);
  await receiver.until(({ length }) => length === 20);
  receiver.respond(200);
  receiver.respondToAll(503);
  await receiver.until(({ length }) => length === 40);
  api.clock.advance(6 * SECOND_MS);
  await untilStored(api, id, areDelivered(40));
});

test("a receiver that responds slowly to many requests leaves slots to the others", async () => {
  const owner = await openOwner(api);
  const other = await openOwner(api);
  const slow = await startHanging();
  const hooks = [];
  for (let count = 0; count < 12; count++) hooks.push(await owner.hook(`${slow.url}/${count}`, { concurrency: 64 }));
  await owner.publishMany(100);
  // The maximum of connections to one origin.
  await slow.until(({ length }) => length >= 128);
  const living = await startReceiver();
  await other.hook(living.url);
  for (let count = 1; count <= 3; count++) {
    await other.publish();
    await living.until(({ length }) => length === count);
  }
  for (const { id } of hooks) await owner.call("DELETE", `/v1/webhooks/${id}`);
  slow.respond(200);
  slow.respondToAll();
});

test("webhooks that always have work back off for others when a process has leased its maximum", async () => {
  const small = await startOwnApp(LOOPBACK, undefined, { delivery: { maxLeased: 4, totalTimeoutMs } });
  const owner = await openOwner(small);
  const slow = await startReceiver();
  const hooks: string[] = [];
  for (let count = 0; count < 6; count++) hooks.push((await owner.hook(`${slow.url}/${count}`, { rateLimit: 1 })).id);
  await owner.publishMany(100);
  await slow.until(({ length }) => length >= 4);
  const living = await startReceiver();
  const other = await openOwner(small);
  await other.hook(living.url);
  for (let count = 1; count <= 3; count++) {
    await other.publish();
    await living.until(({ length }) => length === count);
  }
  // They also back off for each other.
  await slow.until((all) => new Set(all.map(({ path }) => path)).size === hooks.length);
  for (const id of hooks) await owner.call("DELETE", `/v1/webhooks/${id}`);
});

test("six hundred receivers that hang, each with waiting deliveries, leave slots to the others", async () => {
  // Slots do not depend on the engine, and the embedded store creates so many webhooks faster.
  if (ENGINE === "postgres") return;
  const hanging = await startHanging();
  const owners = await Promise.all(Array.from({ length: 6 }, () => openOwner(api)));
  await Promise.all(
    owners.map(async (owner) => {
      for (let count = 0; count < 100; count++) await owner.hook(`${hanging.url}/${count}`);
      await owner.publishMany(5);
    }),
  );
  // One of them waits for slots beyond its first, so all shared slots are taken; each of the others has one.
  const countLeased = async () =>
    Number((await api.query("select count(*) as n from webhook_queues where holder is not null"))[0]?.["n"]);
  await waitFor("all to be leased", async () => (await countLeased()) >= 600 || undefined);
  const living = await startReceiver();
  const other = await openOwner(api);
  await other.hook(living.url);
  for (let count = 1; count <= 3; count++) {
    await other.publish();
    await living.until(({ length }) => length === count);
  }
  hanging.respond(200);
  hanging.respondToAll();
});
