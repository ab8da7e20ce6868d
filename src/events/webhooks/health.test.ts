import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

// Nothing listens at this address, and inactive webhooks are sent nothing.
const api = await startOwnApp({ egressAllow: "127.0.0.1" });
const HOOK = { url: "http://127.0.0.1:8999/hook", events: ["deployment.*"], active: false };
const HALF_HOUR = 30 * MINUTE_MS;

async function newHook() {
  const { id: ownerId, token } = await api.createUser();
  const call = async (path: string) => {
    const { status, body, text } = await api.request("GET", path, { token });
    assert.equal(status, 200, text);
    return body;
  };
  const { body } = await api.request("POST", "/v1/webhooks", { token, body: HOOK });
  const id = body.id as string;
  const insert = async (table: string, columns: string, rows: readonly string[]) => {
    for (let at = 0; at < rows.length; at += 500)
      await api.query(`insert into ${table} (${columns}) values ${rows.slice(at, at + 500).join()}`);
  };
  /** Deliveries of events at these times, in the order of their sequences. */
  const plant = (deliveries: readonly (readonly [state: string, at: number])[]) =>
    insert(
      "webhook_deliveries",
      "webhook_id, sequence, owner_id, event_id, type, state, attempts, tries, created_at",
      deliveries.map(([state, at], n) => `('${id}', ${n + 1}, '${ownerId}', 'e${n}', 't', '${state}', 1, 1, ${at})`),
    );
  const plantAttempts = (
    attempts: readonly (readonly [sequence: number, durationMs: number, status: number | null])[],
  ) =>
    insert(
      "webhook_attempts",
      "webhook_id, sequence, number, started_at, duration_ms, status, request_headers, response_headers, response_body, is_truncated",
      attempts.map(
        ([sequence, ms, status], n) => `('${id}', ${sequence}, ${n}, 0, ${ms}, ${status}, '{}', '{}', '', 0)`,
      ),
    );
  return { id, call, plant, plantAttempts };
}

const sum = (periods: readonly Body[], state: string): number => periods.reduce((total, one) => total + one[state], 0);

test("the deliveries of the last day are counted by half hours, with the median of what had a response", async () => {
  const { id, call, plant, plantAttempts } = await newHook();
  const end = api.clock.now - (api.clock.now % HALF_HOUR) + HALF_HOUR;
  const begin = end - 48 * HALF_HOUR;
  await plant([
    ["failed", begin - 1],
    ["delivered", begin],
    ["delivered", begin + HALF_HOUR - 1],
    ["failed", begin + HALF_HOUR],
    ["skipped", begin + HALF_HOUR],
    ["pending", end - HALF_HOUR],
    ["delivered", end - HALF_HOUR],
  ]);
  // The first is older; one had no response.
  await plantAttempts([
    [1, 9_000, 200],
    [2, 30, 200],
    [3, 10, 500],
    [4, 5_000, null],
    [7, 20, 204],
  ]);
  const { health } = await call(`/v1/webhooks/${id}?withHealth=true`);
  assert.deepEqual([health.countedSince, health.medianMs, health.periods.length], [begin, 20, 48]);
  const shown = health.periods.filter(({ delivered, failed, pending }: Body) => delivered + failed + pending > 0);
  assert.deepEqual(shown, [
    { at: begin, delivered: 2, failed: 0, pending: 0 },
    { at: begin + HALF_HOUR, delivered: 0, failed: 1, pending: 0 },
    { at: end - HALF_HOUR, delivered: 1, failed: 0, pending: 1 },
  ]);
  const [listed] = await call("/v1/webhooks?withHealth=true");
  assert.deepEqual(listed.health, health);
  assert.equal("health" in (await call(`/v1/webhooks/${id}`)), false);
  assert.equal("health" in (await call("/v1/webhooks"))[0], false);
});

test("a webhook without deliveries has none, and no median", async () => {
  const { id, call } = await newHook();
  const { health } = await call(`/v1/webhooks/${id}?withHealth=true`);
  assert.equal(health.medianMs, null);
  assert.equal(
    ["delivered", "failed", "pending"].reduce((total, state) => total + sum(health.periods, state), 0),
    0,
  );
});

test("of very many deliveries the newest are counted, and the response says since when", async () => {
  const { id, call, plant } = await newHook();
  const count = 10_500;
  const first = api.clock.now - count * 1_000;
  await plant(Array.from({ length: count }, (_, at) => ["delivered", first + at * 1_000] as const));
  const { health } = await call(`/v1/webhooks/${id}?withHealth=true`);
  assert.equal(sum(health.periods, "delivered"), 10_000);
  assert.equal(health.countedSince, first + 500 * 1_000);
});
