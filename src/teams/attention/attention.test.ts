// What needs somebody in a team, counted: each kind, up to a bound, and only what the caller may list.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { clock, createUser, query, request } = api;

const NOTHING = { members: 0, webhooks: 0, apiKeys: 0, trustRules: 0, secrets: 0, attackModes: 0, drafts: 0 };
const HOOK = { url: "https://hooks.example.com/", events: ["team-delete"] };

async function count({ id }: TestTeam, { token }: TestUser) {
  const { status, body, text } = await request("GET", `/v1/teams/${id}/attention`, { token });
  assert.equal(status, 200, text);
  return body;
}

async function open() {
  const owner = await createUser();
  const team = await openTeam(api, owner);
  const send = async (method: string, path: string, body: object) => {
    const response = await request(method, `${path}?teamId=${team.id}`, { token: owner.token, body });
    assert.ok(response.status < 300, response.text);
    return response.body;
  };
  return { owner, team, send };
}

test("a quiet team has nothing of any kind", async () => {
  const { owner, team, send } = await open();
  await send("POST", "/v2/secrets", { name: "LATER", value: "x", expiresAt: clock.now + 8 * DAY_MS });
  await send("POST", "/v2/secrets", { name: "NEVER", value: "x" });
  const { id } = await send("POST", "/v1/webhooks", HOOK);
  await send("PATCH", `/v1/webhooks/${id}`, { active: false });
  // It failed until it was disabled.
  await query(`update webhook_queues set failing_since = ${clock.now} where webhook_id = '${id}'`);
  await send("PUT", "/v1/firewalls", { firewallEnabled: true, rules: [] });
  assert.deepEqual(await count(team, owner), NOTHING);
});

test("each kind is counted, for those who may list it", async () => {
  const { owner, team, send } = await open();
  const developer = await createUser();
  const billing = await createUser();
  await team.add(developer, "DEVELOPER");
  await team.add(billing, "BILLING");
  await team.ask(await createUser());
  await send("POST", "/v2/secrets", { name: "ENDS", value: "x", expiresAt: clock.now + HOUR_MS });
  await send("PUT", "/v1/firewalls", { firewallEnabled: true, rules: [] });
  await send("PATCH", "/v1/firewalls/draft", { action: "ja4Enabled", value: true });
  const mode = { attackModeEnabled: true, attackModeActiveUntil: clock.now + HOUR_MS };
  await send("POST", "/v1/attack-challenge-mode", mode);
  const [failing, gone] = [await send("POST", "/v1/webhooks", HOOK), await send("POST", "/v1/webhooks", HOOK)];
  await query(`update webhook_queues set failing_since = ${clock.now} where webhook_id = '${failing.id}'`);
  await query(`update webhooks set is_active = 0, inactive_reason = 'gone' where id = '${gone.id}'`);
  const key = await send("POST", "/v1/api-keys", { name: "key", role: "VIEWER" });
  await query(`update api_keys set suspended_at = ${clock.now} where id = '${key.apiKey.id}'`);
  const all = { members: 1, webhooks: 2, apiKeys: 1, trustRules: 0, secrets: 1, attackModes: 1, drafts: 1 };
  assert.deepEqual(await count(team, owner), all);
  const { apiKeys: _, trustRules: __, ...building } = all;
  assert.deepEqual(await count(team, developer), building);
  assert.deepEqual(await count(team, billing), { members: 1 });
  clock.advance(HOUR_MS);
  assert.equal((await count(team, owner)).attackModes, 0, "it ended");
});

test("more than fifty are not counted", async () => {
  const { owner, team, send } = await open();
  const values = Array.from({ length: 60 }, (_, at) => ({ name: `ENDS_${at}`, value: "x" }));
  await send("PATCH", "/v1/secrets/values", { values });
  await query(`update secrets set ends_at = ${clock.now} where owner_id = '${team.id}'`);
  assert.equal((await count(team, owner)).secrets, 51);
});
