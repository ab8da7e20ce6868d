// What leads data somewhere: a webhook has no end and no networks, so that a credential with these makes none and sends nothing more by one
// that is there; a session proves anew who it is.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { boundedKeys } from "../../../test/resources/bounded-credentials.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../test/sign-in/session-token.ts";
import { HOUR_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { createUser, createTeam, request, clock } = api;

/** A team's webhook with a header, and a delivery that waits for it because it is inactive. */
async function open() {
  const owner = await createUser();
  const team = await createTeam(owner);
  const query = `?teamId=${team.id}`;
  const { session } = await openSession(api, owner);
  clock.advance(HOUR_MS);
  const call = async (token: string, method: string, path: string, body?: object) =>
    await request(method, `/v1/webhooks${path}${query}`, { token, ...(body && { body }) });
  const body = { url: "https://hooks.example.com/a", events: ["team-name-update"], headers: { "x-tenant": "acme" } };
  const { id } = (await call(owner.token, "POST", "", { ...body, active: false })).body;
  const named = await request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name: "Acme" } });
  assert.equal(named.status, 200, named.text);
  const [delivery] = (await call(owner.token, "GET", `/${id}/deliveries`)).body.deliveries;
  return { owner, team, call, id, delivery, stale: sessionAsToken(session), body };
}

/** Calls that lead data elsewhere, or other data. */
const MORE: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["PATCH", "", { url: "https://hooks.example.com/b", headers: null }],
  ["PATCH", "", { headers: { "x-tenant": "mallory" } }],
  ["PATCH", "", { headers: { "x-tenant": "acme", "x-more": "1" } }],
  ["PATCH", "", { headers: null }],
  ["PATCH", "", { events: ["*"] }],
  ["PATCH", "", { projectIds: ["shop"] }],
  ["PATCH", "", { logResponses: true }],
  ["PATCH", "", { active: true }],
  ["POST", "/rotate-secret"],
];

/** What was meant for the webhook goes there once more. */
const AGAIN: typeof MORE = [
  ["POST", "/replay", { states: ["pending", "delivered", "failed"] }],
  ["POST", "/deliveries/{delivery}/redeliver"],
];

test("a credential with an end or with networks, or a session without a fresh proof, sends nothing more", async () => {
  const { owner, team, call, id, delivery, stale, body } = await open();
  const keys = await boundedKeys(api, owner, team);
  const callers = [
    ...keys.map(({ bound, key }) => ({ who: `a key ${bound}`, token: key, code: "forbidden" })),
    { who: "a stale session", token: stale, code: "proof_required" },
  ];
  const read = async () => (await call(owner.token, "GET", `/${id}`)).body;
  const before = await read();
  for (const { who, token, code } of callers) {
    const made = await call(token, "POST", "", body);
    assert.deepEqual([made.status, made.body.error?.code], [403, code], `${who}: ${made.text}`);
    for (const [method, path, change] of MORE) {
      const sent = await call(token, method, `/${id}${path.replace("{delivery}", delivery.id)}`, change);
      const what = `${who}: ${method} ${path} ${JSON.stringify(change)}: ${sent.text}`;
      assert.deepEqual([sent.status, sent.body.error?.code], [403, code], what);
    }
  }
  assert.deepEqual(await read(), before, "nothing was changed");
  for (const { who, token } of callers) {
    assert.equal((await call(token, "PATCH", `/${id}`, { description: who })).status, 200, who);
    assert.equal((await call(token, "PATCH", `/${id}`, { active: false, logResponses: false })).status, 200, who);
  }
  clock.advance(SECOND_MS);
  const send = async (token: string, [method, path, change]: (typeof MORE)[number]) => {
    const sent = await call(token, method, `/${id}${path.replace("{delivery}", delivery.id)}`, change);
    assert.equal(sent.status, 200, `${method} ${path} ${JSON.stringify(change)}: ${sent.text}`);
  };
  for (const more of MORE) await send(owner.token, more);
  for (const { token } of callers) for (const again of AGAIN) await send(token, again);
});
