import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";

// Nothing listens at this address.
const api = await startOwnApp({ egressAllow: "127.0.0.1" });
const HOOK = { url: "http://127.0.0.1:8999/hook", events: ["flag.*"], ordering: "strict" };

async function newHook() {
  const owner = await api.createUser();
  const call = (method: string, path: string, body?: unknown) =>
    api.request(method, path, { token: owner.token, ...(body === undefined ? {} : { body }) });
  const { id } = (await call("POST", "/v1/webhooks", HOOK)).body;
  return { ...owner, call, webhookId: id as string, path: `/v1/webhooks/${id}` };
}

test("a replay is refused with the field that has an unknown value", async () => {
  const { call, path } = await newHook();
  for (const [body, code, field] of [
    [{ since: "yesterday" }, "bad_request", "body.since"],
    [{ until: 1.5 }, "bad_request", "body.until"],
    [{ states: ["waiting"] }, "bad_request", "body.states[0]"],
    [{ states: [] }, "bad_request", "body.states"],
    [{ types: ["flag.*", "flag.craeted"] }, "unknown_event", "body.types[1]"],
  ] as const) {
    const refused = await call("POST", `${path}/replay`, body);
    const { code: seen, field: where } = refused.body.error;
    assert.deepEqual([refused.status, seen, where], [400, code, field], refused.text);
  }
  await call("PATCH", path, { active: false });
  const inactive = await call("POST", `${path}/replay`);
  assert.deepEqual([inactive.status, inactive.body.error.code], [409, "webhook_inactive"], inactive.text);
});

test("one replay of a webhook runs at a time, and only its owner sees it", async () => {
  const [one, other] = [await newHook(), await newHook()];
  // More than one call requeues.
  await api.query(`insert into webhook_deliveries
      (webhook_id, sequence, owner_id, event_id, type, state, attempts, tries, created_at)
    with recursive numbers (n) as (select 1000 union all select n + 1 from numbers where n < 3000)
    select '${one.webhookId}', n, '${one.id}', 'uev_0', 'flag.created', 'skipped', 0, 0, ${api.clock.now} from numbers`);
  const [first, second] = await Promise.all([
    one.call("POST", `${one.path}/replay`),
    one.call("POST", `${one.path}/replay`),
  ]);
  const [running, refused] = first.status === 200 ? [first, second] : [second, first];
  const { id } = running.body.replay;
  assert.deepEqual([refused.status, refused.body.error.code], [409, "replay_running"], refused.text);
  assert.equal(refused.body.error.replayId, id);
  for (const response of [
    await one.call("GET", `${one.path}/replays/replay_0`),
    await other.call("GET", `${other.path}/replays/${id}`),
    await other.call("GET", `${one.path}/replays/${id}`),
    await other.call("POST", `${one.path}/replay`),
  ]) {
    assert.deepEqual([response.status, response.body.error.code], [404, "not_found"], response.text);
  }
});
