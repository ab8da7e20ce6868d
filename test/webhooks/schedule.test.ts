// When deliveries are retried, by a clock that goes through the whole schedule, and when a webhook is disabled.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { waitFor } from "../harness/wait-for.ts";
import { mailsTo } from "../mail/mail-world.ts";
import { LOOPBACK, startReceiver } from "./receiver.ts";
import type { Receiver } from "./receiver.ts";
import { TYPE, areDelivered, attemptsOf, lookNow, openOwner, untilStored } from "./webhook-world.ts";
import type { WebhookOwner } from "./webhook-world.ts";

const mail = await startMailServer();
const api = await startOwnApp({ ...LOOPBACK, smtpUrl: mail.url, mailFrom: "reeve@mail.example" });
const { clock } = api;

const DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** When the webhook is ready next. */
async function readyAt(webhookId: string): Promise<number> {
  const [queue] = await api.query(`select ready_at from webhook_queues where webhook_id = '${webhookId}'`);
  return Number(queue?.["ready_at"]);
}

test("a delivery is attempted ten times in three days, with the same id and body, and logged each time", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond(500);
  const { id, secret } = await owner.hook(receiver.url);
  clock.now = Date.now();
  const sequence = await owner.publish({ text: "one" });
  const sentAt: number[] = [];
  for (const [at, delayMs] of [...DELAYS_MS, null].entries()) {
    await receiver.until(({ length }) => length === at + 1);
    sentAt.push(clock.now);
    const [delivery] = await untilStored(api, id, ([one]) => one?.attempts === at + 1);
    assert.ok(delivery);
    assert.equal(delivery.state, delayMs === null ? "failed" : "pending");
    if (delayMs === null) {
      assert.equal(delivery.dueAt, null);
      break;
    }
    const waitMs = (delivery.dueAt ?? 0) - clock.now;
    assert.ok(waitMs >= delayMs && waitMs <= delayMs * 1.1, `${waitMs} ms`);
    // It is not ready a millisecond earlier.
    assert.equal(await readyAt(id), delivery.dueAt);
    clock.advance(waitMs);
    await lookNow(api);
  }
  assert.equal(await readyAt(id), Number.MAX_SAFE_INTEGER);
  const [first] = receiver.received;
  assert.ok(first);
  receiver.verify(first, secret);
  const signatures = new Set<unknown>();
  for (const [at, { headers, text }] of receiver.received.entries()) {
    assert.equal(headers["webhook-id"], first.headers["webhook-id"]);
    assert.equal(text, first.text);
    assert.equal(headers["webhook-timestamp"], String(Math.floor((sentAt[at] ?? 0) / SECOND_MS)));
    signatures.add(headers["webhook-signature"]);
  }
  assert.equal(signatures.size, 10);
  const attempts = await attemptsOf(api, id);
  assert.deepEqual(
    attempts.map((one) => [one["sequence"], one["number"], one["started_at"], one["status"]].map(Number)),
    sentAt.map((startedAt, at) => [sequence, at + 1, startedAt, 500]),
  );
});

/** Publishes an event, and waits until it was attempted. */
async function tryOnce(owner: WebhookOwner, receiver: Receiver, webhookId: string): Promise<void> {
  const sequence = await owner.publish();
  await lookNow(api);
  await receiver.until((all) => all.some(({ body }) => body.sequence === sequence));
  await untilStored(api, webhookId, (all) => all.some((one) => one.sequence === sequence && one.attempts > 0));
}

test("a webhook that has failed for five days is disabled; events that it misses are kept, and pending deliveries go on later", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond(500);
  const { id } = await owner.hook(receiver.url, { events: [TYPE, "webhook-disabled"] });
  const read = async () => (await owner.call("GET", `/v1/webhooks/${id}`)).body;
  await tryOnce(owner, receiver, id);
  const failingSince = clock.now;
  assert.equal((await read()).failingSince, failingSince);
  clock.advance(5 * DAY_MS - 1);
  await tryOnce(owner, receiver, id);
  assert.equal((await read()).active, true);
  clock.advance(HOUR_MS);
  await owner.publish();
  await waitFor("the webhook to be switched off", async () => !(await read()).active || undefined);
  assert.deepEqual(await read().then(({ inactiveReason, inactiveSince }) => [inactiveReason, inactiveSince]), [
    "failing",
    clock.now,
  ]);
  const [letter] = await waitFor("a mail", () =>
    mailsTo(owner.email, mail).length > 0 ? mailsTo(owner.email, mail) : undefined,
  );
  assert.match(letter?.text ?? "", new RegExp(id));
  const events = (await api.readEvents(owner.id)).filter(({ type }) => type === "webhook-disabled");
  assert.deepEqual(
    events.map(({ payload, principalId }) => [payload.webhookId, payload.reason, principalId]),
    [[id, "failing", "system"]],
  );
  const tried = receiver.received.length;
  await owner.publish();
  clock.advance(DAY_MS);
  const missed = await untilStored(api, id, ({ length }) => length === 5);
  // The event of its own disabling is among those that it misses.
  assert.deepEqual(missed.map(({ state }) => state).toSorted(), [
    "pending",
    "pending",
    "pending",
    "skipped",
    "skipped",
  ]);
  receiver.respond(200);
  const on = await owner.call("PATCH", `/v1/webhooks/${id}`, { active: true });
  assert.deepEqual([on.body.active, on.body.failingSince], [true, null], on.text);
  const taken = await untilStored(api, id, (all) => all.filter(({ state }) => state === "delivered").length === 3);
  assert.deepEqual(
    taken.filter(({ state }) => state === "skipped").map(({ attempts }) => attempts),
    [0, 0],
  );
  assert.equal(receiver.received.length, tried + 3);
});

test("a webhook with one success in between is not disabled", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond(500);
  const { id } = await owner.hook(receiver.url);
  const read = async () => (await owner.call("GET", `/v1/webhooks/${id}`)).body;
  await tryOnce(owner, receiver, id);
  clock.advance(3 * DAY_MS);
  receiver.respond(204);
  await tryOnce(owner, receiver, id);
  await untilStored(api, id, areDelivered(2));
  assert.equal((await read()).failingSince, null);
  clock.advance(DAY_MS);
  receiver.respond(500);
  await tryOnce(owner, receiver, id);
  const failingSince = clock.now;
  clock.advance(4 * DAY_MS);
  await tryOnce(owner, receiver, id);
  const { active, failingSince: since } = await read();
  assert.deepEqual([active, since], [true, failingSince]);
});

test("during the overlap of a rotation both secrets sign, and afterwards the new one alone", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  // The library compares the time with the system's clock.
  clock.now = Date.now();
  const { id, secret: former } = await owner.hook(receiver.url);
  const rotated = await owner.call("POST", `/v1/webhooks/${id}/rotate-secret`, { overlapMs: MINUTE_MS });
  const { secret } = rotated.body;
  const end = clock.now + MINUTE_MS;
  for (const [count, [at, isOverlap]] of (
    [
      [clock.now, true],
      [end - 1, true],
      [end, false],
    ] as const
  ).entries()) {
    clock.now = at;
    await owner.publish();
    const last = (await receiver.until(({ length }) => length === count + 1)).at(-1);
    assert.ok(last);
    receiver.verify(last, secret);
    const verifyFormer = () => receiver.verify(last, former);
    if (isOverlap) verifyFormer();
    else assert.throws(verifyFormer, /No matching signature/);
    assert.equal("x-vercel-signature-previous" in last.headers, isOverlap);
  }
});
