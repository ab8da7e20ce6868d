// Deliveries that were scheduled while the clock was a day ahead are sent when the clock is right again: nothing waits for a
// wrong time.
import assert from "node:assert/strict";
import { describe, it, mock, test } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { openCheckpoints } from "../resources/checkpoints.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openTeam } from "../resources/teams.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import type { Responder } from "../webhooks/receiver.ts";
import { areDelivered, deliveriesOf, lookNow, openOwner, untilStored } from "../webhooks/webhook-world.ts";

// Periodic work, housekeeping above all, runs when a test says so.
mock.timers.enable({ apis: ["setInterval"] });
// No mail server listens there.
const api = await startOwnApp({ ...LOOPBACK, smtpUrl: "smtp://127.0.0.1:1", mailFrom: "reeve@mail.example" });
const { clock } = api;
const { tidy } = openCheckpoints(api);

async function jump(ms: number): Promise<void> {
  clock.advance(ms);
  await lookNow(api);
}

/** Advances the clock by minutes, for housekeeping, until all deliveries of the webhook are sent. */
async function untilCaughtUp(webhookId: string, count: number): Promise<void> {
  await waitFor("what was put off to go out", async () => {
    mock.timers.tick(MINUTE_MS);
    return areDelivered(count)(await deliveriesOf(api, webhookId)) ? true : undefined;
  });
}

/** Deliveries that fail while the clock is a day ahead, and their fate when it is right again. */
async function failAhead(more: object, answer: Responder | number) {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond(answer);
  const { id } = await owner.hook(receiver.url, more);
  await jump(DAY_MS);
  await owner.publish();
  await untilStored(api, id, ([one]) => one?.attempts === 1);
  return { owner, receiver, id };
}

describe("deliveries", () => {
  const busy: Responder = (response) => response.writeHead(503, { "retry-after": "3600" }).end();
  const cases = [
    { name: "that are tried again", more: {}, answer: 500 },
    { name: "of a receiver that asked for a pause", more: {}, answer: busy },
    { name: "in strict order", more: { ordering: "strict" }, answer: 500 },
  ] as const;

  for (const { name, more, answer } of cases) {
    it(`${name} while the clock is ahead are sent when it is back`, async () => {
      const { owner, receiver, id } = await failAhead(more, answer);
      // Due while the receiver cools down.
      if (answer !== 500) await owner.publish();
      receiver.respond(200);
      await jump(-DAY_MS);
      await owner.publish();
      await untilCaughtUp(id, answer === 500 ? 2 : 3);
    });
  }

  it("are sent when the process that leased their webhook a day ahead is gone", async () => {
    const owner = await openOwner(api);
    const receiver = await startReceiver();
    const { id } = await owner.hook(receiver.url);
    const until = clock.now + DAY_MS + MINUTE_MS;
    await api.query(
      `update webhook_queues set holder = 'lost', held_until = ${until}, ready_at = ${until}, due_at = ${until}
        where webhook_id = '${id}' returning webhook_id`,
    );
    await owner.publish();
    await untilCaughtUp(id, 1);
  });

  it("that wait for a correct time continue to wait", async () => {
    const owner = await openOwner(api);
    const receiver = await startReceiver();
    const ids = [(await owner.hook(receiver.url)).id, (await owner.hook(receiver.url, { ordering: "strict" })).id];
    await owner.publish();
    for (const id of ids) await untilStored(api, id, areDelivered(1));
    receiver.respond((response) => response.writeHead(500, { "retry-after": String(20 * 3600) }).end());
    await owner.publish();
    for (const id of ids) await untilStored(api, id, ([, one]) => one?.attempts === 1);
    const readAll = async () => [
      await Promise.all(ids.map((id) => deliveriesOf(api, id))),
      await api.query(`select * from webhook_queues where owner_id = '${owner.id}' order by webhook_id`),
    ];
    const before = await readAll();
    await tidy("repairDeliveryTimes", null);
    assert.deepEqual(await readAll(), before);
  });

  it("are sent once when their clock jumps ahead, and afterwards too", async () => {
    const owner = await openOwner(api);
    const receiver = await startReceiver();
    const { id } = await owner.hook(receiver.url);
    const sent: number[] = [];
    for (const ms of [0, DAY_MS, -DAY_MS, -DAY_MS, DAY_MS]) {
      await jump(ms);
      mock.timers.tick(MINUTE_MS);
      sent.push(await owner.publish());
      await untilStored(api, id, areDelivered(sent.length));
    }
    assert.deepEqual(
      receiver.received.map(({ body }) => body.sequence),
      sent,
    );
  });
});

test("mail that failed while the clock was ahead is retried when it is back", async () => {
  const owner = await api.createUser();
  const team = await openTeam(api, owner);
  const attemptsOfMail = async (where: string) =>
    (await api.query(`select attempts from mails where kind = 'invite' and ${where}`))[0]?.["attempts"];
  clock.advance(DAY_MS);
  await team.invite({ email: "ahead@example.com" });
  // While it is leased it is due later.
  const isGivenBack = `due_at < ${clock.now + MINUTE_MS}`;
  await waitFor("mail to fail", async () => (await attemptsOfMail(isGivenBack)) === 1 || undefined);
  clock.advance(-DAY_MS);
  await waitFor("mail to be tried again", async () => {
    mock.timers.tick(MINUTE_MS);
    return (await attemptsOfMail("attempts > 1")) === 2 || undefined;
  });
});
