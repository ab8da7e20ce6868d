// Several processes deliver to the webhooks of one database: each webhook is leased by one process at a time, and none is lost
// when a process ends, however it ends. The embedded store has one process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { emit } from "../../src/events/events/emit.ts";
import { systemAct } from "../../src/events/events/system.ts";
import type { App } from "../../src/serve/app.ts";
import { startReeve, stopReeve } from "../cli/reeve-process.ts";
import type { ReeveProcess } from "../cli/reeve-process.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { LOOPBACK, startReceiver } from "../webhooks/receiver.ts";
import type { Receiver } from "../webhooks/receiver.ts";
import { TYPE, areDelivered, attemptsOf, openOwner, untilStored } from "../webhooks/webhook-world.ts";

const api = await startOwnApp(LOOPBACK);

function assertEachOnce({ received }: Receiver, count: number): void {
  assert.equal(received.length, count);
  assert.equal(new Set(received.map(({ body }) => body.id)).size, count);
}

/** How often a process has claimed webhooks. */
function countClaims(app: App): () => number {
  let claims = 0;
  app.runner.onCommit((command) => {
    if (command === "claimWebhooks") claims++;
  });
  return () => claims;
}

for (const processes of [2, 4]) {
  test(`${processes} processes share many webhooks, and deliver every event to each of them once`, async () => {
    if (ENGINE === "sqlite") return;
    const others = await Promise.all(Array.from({ length: processes - 1 }, () => api.startAnother()));
    const apps = [api.app, ...others];
    const claims = apps.map(countClaims);
    const owners = await Promise.all(Array.from({ length: 6 }, () => openOwner(api)));
    const receiver = await startReceiver();
    const hooks: string[] = [];
    for (const [at, owner] of owners.entries()) {
      const ordering = at % 2 === 0 ? "parallel" : "strict";
      for (let count = 0; count < 8; count++)
        hooks.push((await owner.hook(`${receiver.url}/${hooks.length}`, { ordering })).id);
    }
    const EVENTS = 12;
    await Promise.all(
      owners.map(async (owner, at) => {
        for (let count = 0; count < EVENTS; count++) await owner.publish({}, apps[(at + count) % processes]);
      }),
    );
    for (const id of hooks) await untilStored(api, id, areDelivered(EVENTS));
    assertEachOnce(receiver, hooks.length * EVENTS);
    for (const [at, count] of claims.entries()) assert.ok(count() > 0, `process ${at} has delivered nothing`);
    for (const app of others) await app.close();
  });
}

test("an event that is recorded while its webhook is released is not lost", async () => {
  if (ENGINE === "sqlite") return;
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { promise: recorded, resolve } = Promise.withResolvers<void>();
  receiver.respond((response) => void recorded.then(() => response.end()));
  const { id } = await owner.hook(receiver.url);
  await owner.publish();
  await receiver.until(({ length }) => length === 1);
  await api.withStore((store) =>
    store.transaction(async (tx) => {
      await emit(tx, systemAct(api.clock.now), {
        type: TYPE,
        ownerId: owner.id,
        entityId: owner.id,
        text: "",
        payload: {},
      });
      // Sends what was deferred.
      await tx.query("select 1");
      // Now the first event is stored, and a worker that cannot see the second one yet releases the webhook.
      resolve();
      await waitFor("somebody to wait for the queue", async () => {
        const [row] = await api.query(
          "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return Number(row?.["n"]) > 0 || undefined;
      });
    }),
  );
  await untilStored(api, id, areDelivered(2));
});

test("changes and deliveries of many webhooks never deadlock", async () => {
  if (ENGINE === "sqlite") return;
  const other = await api.startAnother();
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  // Every other delivery is refused for good: the state of receivers changes all the time, and no receiver cools down.
  receiver.respond((response) => {
    const isTaken = receiver.received.length % 2 === 0;
    response.writeHead(isTaken ? 200 : 500, isTaken ? {} : { "retry-after": "0" }).end();
  });
  const hooks: string[] = [];
  for (let count = 0; count < 24; count++) {
    hooks.push((await owner.hook(`${receiver.url}/${count}`, { events: [TYPE, "webhook-updated"] })).id);
  }
  const lanes = [api.app, other, api.app, other];
  await Promise.all(
    lanes.map(async (app, lane) => {
      for (let count = 0; count < 20; count++) {
        await owner.publish({}, app);
        // Locks the queue of this webhook, and then wakes all of them.
        const changed = hooks.at(-1 - lane * 5 - (count % 5)) as string;
        const description = `${lane} ${count}`;
        assert.equal((await owner.call("PATCH", `/v1/webhooks/${changed}`, { description }, app)).status, 200);
      }
    }),
  );
  const [row] = await api.query("select deadlocks from pg_stat_database where datname = current_database()");
  assert.equal(Number(row?.["deadlocks"]), 0);
  await other.close();
});

async function startWorker(): Promise<ReeveProcess> {
  // Its clock is the machine's, and this file may have been loaded minutes ago.
  api.clock.now = Date.now();
  const { databaseUrl, dataDir } = api.settings;
  const flags = { databaseUrl: databaseUrl as string, dataDir, logLevel: "error", ...LOOPBACK };
  const worker = startReeve(["worker"], flags);
  await worker.printed(/Reeve works on/);
  return worker;
}

test("a worker that is told to stop finishes its attempts in flight and releases the rest at once; another worker replaces a killed one when its lease ends", async () => {
  if (ENGINE === "sqlite") return;
  const owner = await openOwner(api);
  const receiver = await startReceiver();
  const { promise: checked, resolve } = Promise.withResolvers<void>();
  receiver.respond((response) => void checked.then(() => response.end()));
  const { id } = await owner.hook(receiver.url, { ordering: "strict" });
  await api.app.close();
  const first = await startWorker();
  await owner.publishMany(5);
  await receiver.until(({ length }) => length === 1);
  const second = await startWorker();
  first.child.kill("SIGTERM");
  resolve();
  receiver.respond((response, { body }) => {
    if (body.payload.n < 4) response.end();
  });
  const { code, stderr } = await first.ended;
  assert.equal(code, 0, stderr);
  // Long before the lease of the first would have ended.
  await receiver.until(({ length }) => length === 5);
  await waitFor("four to be stored", async () => (await attemptsOf(api, id)).length === 4 || undefined);
  assertEachOnce(receiver, 5);
  // The last delivery is in flight.
  await stopReeve(second, "SIGKILL");
  receiver.respond(200);
  const app = await api.startAnother();
  const readyAt = async () =>
    Number((await api.query(`select ready_at from webhook_queues where webhook_id = '${id}'`))[0]?.["ready_at"]);
  const until = await readyAt();
  assert.ok(until > api.clock.now && until <= Date.now() + MINUTE_MS);
  api.clock.now = until - 1;
  await app.runner.changes.pruneIdempotencyRecords(null, api.clock.now);
  assert.equal(await readyAt(), until);
  api.clock.now = until;
  await untilStored(api, id, areDelivered(5));
  const ids = receiver.received.map(({ body }) => body.payload.n);
  assert.deepEqual(ids, [0, 1, 2, 3, 4, 4]);
  assert.equal((await attemptsOf(api, id)).length, 5);
  await app.close();
});
