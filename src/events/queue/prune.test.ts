import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { waitFor } from "../../../test/harness/wait-for.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

// Housekeeping runs when a test wants it to.
mock.timers.enable({ apis: ["setInterval"] });
const api = await startOwnApp(
  { egressAllow: "127.0.0.1", deliveriesRetentionDays: "7" },
  undefined,
  // No webhook is leased, so planted deliveries are not sent.
  { delivery: { maxLeased: 0 } },
);
const HOOK = { url: "http://127.0.0.1:8999/hook", events: ["flag.*"], active: false };
const KEPT_DAYS = 30;
const OLD = KEPT_DAYS * DAY_MS + HOUR_MS;

async function newHook() {
  const { id: ownerId, token } = await api.createUser();
  const { id } = (await api.request("POST", "/v1/webhooks", { token, body: HOOK })).body;
  return { ownerId, token, webhookId: id as string };
}
type Hook = Awaited<ReturnType<typeof newHook>>;

interface Planted {
  readonly from: number;
  readonly count: number;
  readonly state: string;
  readonly ageMs: number;
  readonly attempts?: number;
}

/** Inserts deliveries of events of so long ago, with their attempts. */
async function plant({ webhookId, ownerId }: Hook, { from, count, state, ageMs, attempts = 0 }: Planted) {
  const dueAt = state === "pending" ? api.clock.now : "null";
  const numbers = (low: number, high: number) =>
    `with recursive numbers (n) as (select ${low} union all select n + 1 from numbers where n < ${high})`;
  await api.query(`insert into webhook_deliveries
      (webhook_id, sequence, owner_id, event_id, type, state, due_at, attempts, tries, created_at)
    ${numbers(from, from + count - 1)}
    select '${webhookId}', n, '${ownerId}', 'uev_0', 'flag.created', '${state}', ${dueAt}, ${attempts}, 0,
      ${api.clock.now - ageMs} from numbers`);
  if (attempts === 0) return;
  await api.query(`insert into webhook_attempts (webhook_id, sequence, number, started_at, duration_ms,
      request_headers, response_headers, response_body, is_truncated)
    ${numbers(1, attempts)}
    select webhook_id, sequence, n, 0, 1, '{}', '{}', '', 0 from webhook_deliveries, numbers
    where webhook_id = '${webhookId}' and sequence >= ${from} and sequence < ${from + count}`);
}

async function countRows(table: string, { webhookId }: Hook, where = "true"): Promise<number> {
  const [row] = await api.query(`select count(*) as n from ${table} where webhook_id = '${webhookId}' and ${where}`);
  return Number(row?.["n"]);
}

/** Returns the number of steps. */
async function prune(): Promise<number> {
  for (let steps = 0; steps < 100; steps++) {
    const done = await api.app.runner.changes.pruneDeliveries({ keptDays: KEPT_DAYS }, api.clock.now);
    if (done === 0) return steps;
  }
  throw new Error("pruning does not end");
}

test("expired deliveries are deleted with their attempts, a bounded number at once", async () => {
  const hook = await newHook();
  await plant(hook, { from: 1, count: 900, state: "delivered", ageMs: OLD, attempts: 1 });
  await plant(hook, { from: 901, count: 100, state: "failed", ageMs: OLD, attempts: 20 });
  await plant(hook, { from: 1_001, count: 50, state: "skipped", ageMs: OLD });
  await plant(hook, { from: 1_051, count: 3, state: "pending", ageMs: OLD, attempts: 2 });
  await plant(hook, { from: 1_054, count: 4, state: "delivered", ageMs: KEPT_DAYS * DAY_MS - HOUR_MS, attempts: 1 });
  const one = await api.app.runner.changes.pruneDeliveries({ keptDays: KEPT_DAYS }, api.clock.now);
  assert.equal(one, 200);
  const byRowsAlone = 5;
  const steps = await prune();
  assert.ok(steps > byRowsAlone, `${steps} steps`);
  assert.equal(await countRows("webhook_deliveries", hook), 7);
  assert.equal(await countRows("webhook_deliveries", hook, "state = 'pending'"), 3);
  assert.equal(await countRows("webhook_attempts", hook), 10);
});

test("pending deliveries are kept while their webhook is active, and for the retention period once it is not", async () => {
  const byRequest = await newHook();
  const byItself = await newHook();
  const hooks = [byRequest, byItself];
  const patch = ({ webhookId, token }: Hook, active: boolean) =>
    api.request("PATCH", `/v1/webhooks/${webhookId}`, { token, body: { active } });
  for (const hook of hooks) {
    await patch(hook, true);
    await plant(hook, { from: 1, count: 500, state: "pending", ageMs: OLD });
  }
  await prune();
  await patch(byRequest, false);
  const { ownerId, webhookId } = byItself;
  const [row] = await api.query(`select revision from webhooks where id = '${webhookId}'`);
  const revision = Number(row?.["revision"]);
  const disabling = { ownerId, webhookId, revision, reason: "failing", hasMail: false } as const;
  assert.equal(await api.app.runner.changes.disableWebhook(disabling, api.clock.now), true);
  api.clock.advance(KEPT_DAYS * DAY_MS);
  await prune();
  for (const hook of hooks) {
    assert.equal(await countRows("webhook_deliveries", hook), 500);
    await plant(hook, { from: 501, count: 2, state: "skipped", ageMs: 0 });
  }
  api.clock.advance(HOUR_MS);
  await prune();
  for (const hook of hooks) assert.equal(await countRows("webhook_deliveries", hook), 2);
});

test("everything of a deleted webhook is deleted with it, and so it is with a deleted owner", async () => {
  const [hook, other, kept] = [await newHook(), await newHook(), await newHook()];
  for (const each of [hook, other, kept]) {
    await plant(each, { from: 1, count: 600, state: "delivered", ageMs: 0, attempts: 1 });
    await plant(each, { from: 601, count: 1, state: "pending", ageMs: 0, attempts: 1 });
  }
  await api.request("DELETE", `/v1/webhooks/${hook.webhookId}`, { token: hook.token });
  await api.request("DELETE", "/v1/user", { token: other.token });
  await prune();
  for (const table of ["webhook_deliveries", "webhook_attempts"]) {
    assert.equal(await countRows(table, hook), 0, table);
    assert.equal(await countRows(table, other), 0, table);
    assert.equal(await countRows(table, kept), 601, table);
  }
  for (const [each, queues] of [
    [hook, 0],
    [other, 0],
    [kept, 1],
  ] as const) {
    assert.equal(await countRows("webhook_queues", each), queues);
  }
});

test("finished replays are deleted with the log that they were about", async () => {
  const hook = await newHook();
  await api.query(`update webhooks set is_active = 1 where id = '${hook.webhookId}'`);
  const { token } = hook;
  const { body } = await api.request("POST", `/v1/webhooks/${hook.webhookId}/replay`, { token });
  const read = () => api.request("GET", `/v1/webhooks/${hook.webhookId}/replays/${body.replay.id}`, { token });
  api.clock.advance(KEPT_DAYS * DAY_MS);
  await prune();
  assert.equal((await read()).status, 200);
  api.clock.advance(1);
  await prune();
  assert.equal((await read()).status, 404);
});

test("pruning runs every minute, with the retention period of the setting", async () => {
  const hook = await newHook();
  await plant(hook, { from: 1, count: 1, state: "delivered", ageMs: 7 * DAY_MS + HOUR_MS });
  await plant(hook, { from: 2, count: 1, state: "delivered", ageMs: 7 * DAY_MS - HOUR_MS });
  mock.timers.tick(MINUTE_MS);
  await waitFor("the log to be pruned", async () => (await countRows("webhook_deliveries", hook)) === 1 || undefined);
  assert.equal(await countRows("webhook_deliveries", hook, "sequence = 2"), 1);
});
