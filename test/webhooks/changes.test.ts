// A change of a webhook applies to all deliveries that begin after it, also while others are in flight.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { areDelivered, openOwner, untilStored } from "./webhook-world.ts";
import type { WebhookOwner } from "./webhook-world.ts";

// Rate limits need time that passes, and libraries compare a signature's time with the system's clock.
const passing = await startOwnApp(LOOPBACK, undefined, { clock: Date.now });
// The time of planted events.
passing.clock.now = Date.now();

const BACKLOG = 150;

/** Opens a webhook whose receiver has got a part of many waiting deliveries, and gets the rest as fast as it responds. */
async function openBusy(owner: WebhookOwner, more: object = {}) {
  const receiver = await startReceiver();
  // Each response takes a while, so that deliveries still wait at the time of the change, and few begin before a busy machine reads it.
  receiver.respond((response) => setTimeout(() => response.end(), 25));
  const hook = await owner.hook(receiver.url, { concurrency: 2, ...more });
  await owner.publishMany(BACKLOG);
  await receiver.until(({ length }) => length >= 10);
  return { receiver, hook };
}

/** A few deliveries are in flight at the time of the change, or begin before the process reads it. */
const FEW = 30;

/** How many requests have arrived since then. */
function cameSince(receiver: Receiver) {
  const before = receiver.received.length;
  return () => receiver.received.length - before;
}

test("deliveries after a change of the URL go to the new one", async () => {
  const owner = await openOwner(passing);
  const { receiver, hook } = await openBusy(owner);
  const next = await startReceiver();
  await owner.call("PATCH", `/v1/webhooks/${hook.id}`, { url: next.url });
  const stillCame = cameSince(receiver);
  await untilStored(passing, hook.id, areDelivered(BACKLOG));
  assert.ok(stillCame() <= FEW, `${stillCame()} more`);
  assert.ok(next.received.length >= BACKLOG - receiver.received.length);
});

test("deliveries after a rotation without overlap are signed with the new secret alone", async () => {
  const owner = await openOwner(passing);
  const { receiver, hook } = await openBusy(owner);
  const rotated = await owner.call("POST", `/v1/webhooks/${hook.id}/rotate-secret`, { overlapMs: 0 });
  const before = receiver.received.length;
  await untilStored(passing, hook.id, areDelivered(BACKLOG));
  for (const one of receiver.received.slice(before + FEW)) receiver.verify(one, rotated.body.secret);
});

for (const [name, end] of [
  ["switched off", (owner: WebhookOwner, id: string) => owner.call("PATCH", `/v1/webhooks/${id}`, { active: false })],
  ["deleted", (owner: WebhookOwner, id: string) => owner.call("DELETE", `/v1/webhooks/${id}`)],
] as const) {
  test(`a webhook that is ${name} gets nothing more, although deliveries wait for it`, async () => {
    const owner = await openOwner(passing);
    // It is slow, so that deliveries that were read ahead would arrive for long.
    const { receiver, hook } = await openBusy(owner, { concurrency: 64, rateLimit: 40 });
    assert.ok((await end(owner, hook.id)).status < 300);
    const stillCame = cameSince(receiver);
    const other = await startReceiver();
    await owner.hook(other.url, { rateLimit: 40 });
    // As many as would have arrived in the meantime.
    await owner.publishMany(60);
    await other.until(({ length }) => length === 60);
    assert.ok(stillCame() <= FEW, `${stillCame()} more`);
  });
}

test("a webhook gets no more in a second than it allows, whether events are recorded together or one by one", async () => {
  const owner = await openOwner(passing);
  const receiver = await startReceiver();
  await owner.hook(receiver.url, { rateLimit: 20 });
  // Two may arrive at once after a silence.
  const leastMs = ((12 - 2) * SECOND_MS) / 20;
  for (const together of [true, false]) {
    const before = receiver.received.length;
    const startedAt = performance.now();
    if (together) await owner.publishMany(12);
    for (let count = 1; count <= 12; count++) {
      if (!together) await owner.publish();
      await receiver.until(({ length }) => length >= before + count);
    }
    const tookMs = performance.now() - startedAt;
    assert.ok(tookMs >= leastMs, `${tookMs} ms`);
  }
});

test("a receiver that is gone does not disable a webhook that has another URL by now", async () => {
  const owner = await openOwner(passing);
  const [gone, next] = [await startReceiver(), await startReceiver()];
  const held = Promise.withResolvers<void>();
  gone.respond((response) => void held.promise.then(() => response.writeHead(410).end()));
  const { id } = await owner.hook(gone.url);
  await owner.publish();
  await gone.until(({ length }) => length === 1);
  assert.equal((await owner.call("PATCH", `/v1/webhooks/${id}`, { url: next.url })).status, 200);
  held.resolve();
  await untilStored(passing, id, ([delivery]) => delivery?.status === 410);
  await owner.publish();
  await next.until(({ length }) => length === 1);
  assert.equal((await owner.call("GET", `/v1/webhooks/${id}`)).body.active, true);
});
