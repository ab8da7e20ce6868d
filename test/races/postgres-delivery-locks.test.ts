// Background jobs on the deliveries of a webhook take its owner's lock, and look again at what others may have changed meanwhile.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { startOwnApp } from "../harness/test-app.ts";

// No webhook is leased, so planted deliveries are not sent.
const api = await startOwnApp({ egressAllow: "127.0.0.1" }, undefined, { delivery: { maxLeased: 0 } });
const { app, clock, createUser, query, request } = api;
const { changes } = app.runner;

const HOOK = { url: "http://127.0.0.1:8999/hook", events: ["flag.*"] };

/** A webhook with one delivery. */
async function newHook(state: "pending" | "delivered") {
  const { id: ownerId, token } = await createUser();
  const { id: webhookId } = (await request("POST", "/v1/webhooks", { token, body: HOOK })).body;
  const dueAt = state === "pending" ? clock.now : "null";
  await query(`insert into webhook_deliveries
      (webhook_id, sequence, owner_id, event_id, type, state, due_at, attempts, tries, created_at)
    values ('${webhookId}', 1, '${ownerId}', 'uev_0', 'flag.created', '${state}', ${dueAt}, 0, 0, ${clock.now})`);
  const stateOf = async () =>
    (await query(`select state from webhook_deliveries where webhook_id = '${webhookId}'`)).map((row) => row["state"]);
  return { ownerId, token, webhookId: webhookId as string, stateOf };
}

test("deliveries of a webhook that was activated meanwhile are kept", async () => {
  const { ownerId, webhookId, stateOf } = await newHook("pending");
  await query(`update webhook_queues set idle_since = 1 where webhook_id = '${webhookId}'`);
  await changeBehindLock(api, {
    owner: ownerId,
    change: () => changes.pruneDeliveries({ keptDays: 1 }, 10 * DAY_MS),
    meanwhile: [`update webhook_queues set idle_since = null where webhook_id = '${webhookId}'`],
  });
  assert.deepEqual(await stateOf(), ["pending"]);
});

test("a replay that was ended meanwhile makes nothing due", async () => {
  const { ownerId, token, webhookId, stateOf } = await newHook("delivered");
  const asked = await request("POST", `/v1/webhooks/${webhookId}/replay`, { token, body: { states: ["delivered"] } });
  assert.equal(asked.status, 200, asked.text);
  await changeBehindLock(api, {
    owner: ownerId,
    // The request has taken the only step. It is undone while the lock is held, as housekeeping would repeat it before.
    change: async () => {
      await query(`update webhook_deliveries set state = 'delivered', due_at = null where webhook_id = '${webhookId}'`);
      await query(`update webhook_replays set finished_at = null, "cursor" = 0 where webhook_id = '${webhookId}'`);
      await changes.continueReplay(null, clock.now);
    },
    meanwhile: [`update webhook_replays set finished_at = 1 where webhook_id = '${webhookId}'`],
  });
  assert.deepEqual(await stateOf(), ["delivered"]);
});
