// Deliveries while the store is unavailable: no sent delivery is forgotten or repeated, and only a bounded number is sent
// meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import { areDelivered, attemptsOf, openOwner, untilStored } from "../webhooks/webhook-world.ts";
import { startTcpProxy } from "./tcp-proxy.ts";

const logged: string[] = [];
const api = await startOwnApp({ ...LOOPBACK, logLevel: "warn" }, (line) => logged.push(line));
const countLogged = (text: string) => logged.filter((line) => line.includes(text)).length;
const untilLogged = (text: string) => waitFor(text, () => countLogged(text) > 0 || undefined);

/** The maximum of unstored outcomes of a process, for a single webhook. */
const MOST_UNSTORED = 512;
const CONCURRENCY = 64;

function assertOnce({ received }: Receiver, count: number): void {
  assert.equal(received.length, count);
  assert.equal(new Set(received.map(({ body }) => body.sequence)).size, count);
}

async function rename(table: string, name: string): Promise<void> {
  await api.withStore(({ admin }) => admin.exec(`alter table ${table} rename to ${name}`));
}

test("outcomes that cannot be stored are kept and stored later; until then a bounded number is sent", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  // Slow responses make it one of the receivers that have slots of their own.
  let slow = CONCURRENCY;
  receiver.respond((response) => setTimeout(() => response.end(), slow-- > 0 ? 1_100 : 0));
  const { id } = await owner.hook(receiver.url, { concurrency: CONCURRENCY });
  await rename("webhook_attempts", "webhook_attempts_away");
  await owner.publishMany(MOST_UNSTORED + 100);
  await receiver.until(({ length }) => length === MOST_UNSTORED);
  await untilLogged("attempts could not be stored yet");
  // Another webhook still has its first slot.
  const other = await openOwner(api);
  const another = await startReceiver();
  const { id: otherId } = await other.hook(another.url);
  await other.publish();
  await another.until(({ length }) => length === 1);
  assert.equal(receiver.received.length, MOST_UNSTORED);
  await rename("webhook_attempts_away", "webhook_attempts");
  await untilStored(api, id, areDelivered(MOST_UNSTORED + 100));
  await untilStored(api, otherId, areDelivered(1));
  assertOnce(receiver, MOST_UNSTORED + 100);
  assert.equal((await attemptsOf(api, id)).length, MOST_UNSTORED + 100);
  assert.equal(countLogged("attempts could not be stored yet"), 1);
});

test("a webhook whose deliveries cannot be read is retried after seconds", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  await owner.publish();
  await untilStored(api, id, areDelivered(1));
  // A request for it arrives while nothing can be read.
  await rename("webhook_deliveries", "webhook_deliveries_away");
  await api.query(`update webhook_queues set ready_at = 0, due_at = 0 where webhook_id = '${id}'`);
  await untilLogged("the queue of a webhook could not be read");
  await rename("webhook_deliveries_away", "webhook_deliveries");
  await untilStored(api, id, areDelivered(1));
  await owner.publish();
  api.clock.advance(6 * SECOND_MS);
  await untilStored(api, id, areDelivered(2));
  assertOnce(receiver, 2);
});

test("a webhook that could be neither read nor released is released once that is possible", async () => {
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { id } = await owner.hook(receiver.url);
  await owner.publish();
  await untilStored(api, id, areDelivered(1));
  logged.length = 0;
  // It can still be leased.
  await rename("webhooks", "webhooks_away");
  await rename("webhook_deliveries", "webhook_deliveries_away");
  await api.query(`update webhook_queues set ready_at = 0, due_at = 0 where webhook_id = '${id}'`);
  await untilLogged("a webhook could not be read");
  await untilLogged("attempts could not be stored yet");
  await rename("webhook_deliveries_away", "webhook_deliveries");
  await rename("webhooks_away", "webhooks");
  await owner.publish();
  // Far less than the duration of a lease.
  api.clock.advance(6 * SECOND_MS);
  await untilStored(api, id, areDelivered(2));
  assertOnce(receiver, 2);
});

/** Makes the store refuse rows; returns a function that ends that. */
async function refuseRows(event: string, table: string, condition: string): Promise<() => Promise<void>> {
  const [begin, end] =
    ENGINE === "sqlite"
      ? [
          `create trigger refuse before ${event} on ${table} when ${condition} begin select raise(abort, 'refused'); end`,
          "drop trigger refuse",
        ]
      : [
          `create function refuse() returns trigger as
            'begin raise exception ''refused'' using errcode = ''check_violation''; end' language plpgsql;
            create trigger refuse before ${event} on ${table} for each row when (${condition}) execute function refuse()`,
          `drop trigger refuse on ${table}; drop function refuse`,
        ];
  await api.withStore(({ admin }) => admin.exec(begin));
  return () => api.withStore(({ admin }) => admin.exec(end));
}

/** Two owners with a webhook each, and this many events for both; the responses of the first receiver number the events. */
async function openTwo(count: number) {
  const [one, other] = [await openOwner(api), await openOwner(api)];
  const [receiver, otherReceiver] = [await startReceiver(), await startReceiver()];
  receiver.respond((response, { body }) => response.end(`answer ${body.payload.n}`));
  const [hook, otherHook] = [await one.hook(receiver.url), await other.hook(otherReceiver.url)];
  const publish = () => Promise.all([one.publishMany(count), other.publishMany(count)]);
  return { receiver, otherReceiver, id: hook.id as string, otherId: otherHook.id as string, publish };
}

test("a response that the store does not accept is left out, and delays no other", async () => {
  const { receiver, otherReceiver, id, otherId, publish } = await openTwo(40);
  logged.length = 0;
  const end = await refuseRows("insert", "webhook_attempts", "new.response_body = 'answer 7'");
  await publish();
  await untilStored(api, id, areDelivered(40));
  await untilStored(api, otherId, areDelivered(40));
  await end();
  assertOnce(receiver, 40);
  assertOnce(otherReceiver, 40);
  const bodies = (await attemptsOf(api, id)).map((attempt) => attempt["response_body"]);
  assert.deepEqual(
    bodies.toSorted(),
    ["", ...Array.from({ length: 40 }, (_, n) => `answer ${n}`)].toSorted().filter((body) => body !== "answer 7"),
  );
  assert.equal(countLogged("an attempt was stored without its details"), 1);
});

test("an outcome that the store never accepts delays no other, and is not retried at once", async () => {
  const { receiver, otherReceiver, id, otherId, publish } = await openTwo(1);
  logged.length = 0;
  const end = await refuseRows("update", "webhook_deliveries", `new.webhook_id = '${id}'`);
  await publish();
  await untilStored(api, otherId, areDelivered(1));
  await untilLogged("an attempt could not be stored");
  await untilStored(api, id, ([delivery]) => delivery?.state === "pending");
  await end();
  api.clock.advance(4 * MINUTE_MS);
  await publish();
  await untilStored(api, otherId, areDelivered(2));
  assertOnce(receiver, 1);
  api.clock.advance(MINUTE_MS);
  await untilStored(api, id, areDelivered(2));
  assert.equal(receiver.received.length, 3);
  assertOnce(otherReceiver, 2);
  assert.equal(countLogged("an attempt could not be stored"), 1);
});

test("a database that loses a response, or is unreachable for a while, loses no delivery", async () => {
  if (ENGINE === "sqlite") return;
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  receiver.respond((response) => setTimeout(() => response.end(), 5));
  const { id } = await owner.hook(receiver.url);
  await api.app.close();
  const url = new URL(api.settings.databaseUrl as string);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.host = `127.0.0.1:${proxy.port}`;
  const app = await api.startAnother({ databaseUrl: url.href });

  // The webhook is leased, and the worker never learns it; it is released under a clock that does not advance.
  logged.length = 0;
  proxy.mayPass = (answer) => !answer.includes("COMMIT\0");
  await owner.publishMany(1);
  await untilLogged("webhooks could not be claimed yet");
  proxy.mayPass = () => true;
  await untilStored(api, id, areDelivered(1));

  logged.length = 0;
  await owner.publishMany(200);
  await receiver.until(({ length }) => length > 50);
  proxy.cut();
  await untilLogged("webhooks could not be claimed yet");
  await proxy.restore();
  await waitFor("all to be stored", async () => {
    api.clock.advance(SECOND_MS);
    const [row] = await api.query(
      `select count(*) as n from webhook_deliveries where webhook_id = '${id}' and state = 'delivered'`,
    );
    return Number(row?.["n"]) === 201 || undefined;
  });
  assertOnce(receiver, 201);
  assert.equal((await attemptsOf(api, id)).length, 201);
  assert.equal(countLogged("webhooks could not be claimed yet"), 1);
  await app.close();
  proxy.cut();
});
