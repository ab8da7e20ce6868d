import assert from "node:assert/strict";
import { test } from "node:test";
import { send, startOwnApp } from "../../../test/harness/test-app.ts";
import type { RequestOptions } from "../../../test/harness/test-app.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startOwnApp();
const { app, clock, createUser, readEvents, request, startAnother } = api;
const other = await startAnother();

const statusOf = async (session: string, options: RequestOptions = {}) =>
  (await request("GET", "/v2/user", { session, ...options })).status;

test("a session acts for its user, and is listed with device, address and last use", async () => {
  const user = await createUser();
  const { session, id } = await openSession(api, user);
  assert.equal((await request("GET", "/v2/user", { session })).body.user.id, user.id);
  const { body } = await request("GET", "/v1/sessions", { session });
  assert.deepEqual(body.sessions, [
    {
      id,
      device: "Unknown device",
      userAgent: "test",
      ip: "127.0.0.1",
      method: "link",
      isCurrent: true,
      createdAt: clock.now,
      activeAt: clock.now,
      provedAt: clock.now,
      expiresAt: clock.now + 12 * HOUR_MS,
    },
  ]);
  const byToken = await request("GET", "/v1/sessions", { token: user.token });
  assert.equal(byToken.body.sessions[0].isCurrent, false);
});

test("sessions are paged, newest first, and those of others are not there", async () => {
  const [user, stranger] = [await createUser(), await createUser()];
  const ids = [];
  for (let count = 0; count < 3; count++) ids.unshift((await openSession(api, user)).id);
  const first = await request("GET", "/v1/sessions?limit=2", { token: user.token });
  assert.deepEqual(
    first.body.sessions.map((one: { id: string }) => one.id),
    ids.slice(0, 2),
  );
  const second = await request("GET", `/v1/sessions?limit=2&until=${first.body.pagination.next}`, {
    token: user.token,
  });
  assert.deepEqual(
    second.body.sessions.map((one: { id: string }) => one.id),
    ids.slice(2),
  );
  assert.equal((await request("DELETE", `/v1/sessions/${ids[0]}`, { token: stranger.token })).status, 404);
  assert.deepEqual((await request("GET", "/v1/sessions", { token: stranger.token })).body.sessions, []);
});

test("a session that was ended is refused by the next request, on every server", async () => {
  const user = await createUser();
  const [ended, current, third] = [
    await openSession(api, user),
    await openSession(api, user),
    await openSession(api, user),
  ];
  for (const { session } of [ended, current, third]) {
    assert.equal((await send(other, "GET", "/v2/user", { session })).status, 200);
  }
  assert.equal((await request("DELETE", `/v1/sessions/${ended.id}`, { session: current.session })).status, 200);
  assert.equal((await send(other, "GET", "/v2/user", { session: ended.session })).status, 401);
  const rest = await request("DELETE", "/v1/sessions?keepCurrent=true", { session: current.session });
  assert.deepEqual(rest.body, { ended: 1 });
  assert.equal((await send(other, "GET", "/v2/user", { session: third.session })).status, 401);
  assert.equal(await statusOf(current.session), 200);
  assert.equal((await request("DELETE", "/v1/sessions/current", { session: current.session })).status, 200);
  assert.equal(await statusOf(current.session), 401);
  const types = (await readEvents(user.id)).map(({ type }) => type);
  assert.equal(types.filter((type) => type === "session-ended").length, 3);
});

test("a session ends 12 hours after its last use, and 7 days after it began", async () => {
  const user = await createUser();
  const idle = await openSession(api, user);
  const used = await openSession(api, user);
  const startedAt = clock.now;
  while (clock.now < startedAt + 7 * DAY_MS - 11 * HOUR_MS) {
    clock.advance(11 * HOUR_MS);
    assert.equal(await statusOf(used.session), 200);
    await app.runner.changes.recordUses(
      { tokenIds: [], keyIds: [], sessionIds: [used.id], activeAt: clock.now },
      clock.now,
    );
  }
  assert.equal(await statusOf(idle.session), 401);
  assert.equal(await statusOf(used.session), 200);
  clock.now = startedAt + 7 * DAY_MS;
  assert.equal(await statusOf(used.session), 401);
  assert.equal((await request("GET", "/v1/sessions", { token: user.token })).body.sessions.length, 0);
});

test("a suspended or deleted account has no session", async () => {
  const [suspended, deleted] = [await createUser(), await createUser()];
  const [one, two] = [await openSession(api, suspended), await openSession(api, deleted)];
  await request("PATCH", `/v1/users/${suspended.id}`, { body: { suspended: true } });
  await request("DELETE", `/v1/users/${deleted.id}`);
  assert.deepEqual([await statusOf(one.session), await statusOf(two.session)], [401, 401]);
});

test("a session is not accepted beside another credential", async () => {
  const user = await createUser();
  const { session } = await openSession(api, user);
  const headers = { authorization: `Bearer ${user.token}` };
  const both = await request("GET", "/v2/user", { session, headers });
  assert.equal(both.status, 401);
  assert.match(both.body.error.message, /not both/);
  const page = await send(app, "GET", "/console/account", { headers: { ...headers, cookie: `reeve=${session}` } });
  assert.equal(page.status, 401);
  assert.match(page.text, /not both/);
});

test("a session is no bearer credential, also after it was read as a cookie", async () => {
  const { session } = await openSession(api, await createUser());
  for (let reads = 0; reads < 2; reads++) {
    assert.equal(await statusOf(session), 200);
    assert.equal((await request("GET", "/v2/user", { token: session })).status, 401);
  }
});

test("a token that is limited to a team neither lists nor ends its user's sessions", async () => {
  const user = await createUser();
  const team = await api.createTeam(user);
  const { id, session } = await openSession(api, user);
  const body = { name: "limited" };
  const { bearerToken: token } = (
    await request("POST", `/v3/user/tokens?teamId=${team.id}`, { token: user.token, body })
  ).body;
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["DELETE", `/${id}`],
  ] as const) {
    const refused = await request(method, `/v1/sessions${path}`, { token });
    assert.deepEqual([refused.status, refused.body.error?.code], [403, "forbidden"], `${method} ${path}`);
    assert.ok(!refused.text.includes(id));
  }
  assert.equal(await statusOf(session), 200);
});

test("a page of another site can use a session neither to change nor to read", async () => {
  const user = await createUser();
  const { session } = await openSession(api, user);
  const cookie = `reeve=${session}`;
  const ask = (method: string, headers: Record<string, string>) =>
    request(method, method === "GET" ? "/v2/user" : "/v1/teams", {
      token: null,
      headers: { cookie, host: "reeve.test", ...headers },
      ...(method === "GET" ? {} : { body: { slug: `csrf-${user.username}` } }),
    });
  const refused: [string, Record<string, string>][] = [
    ["POST", {}],
    ["POST", { origin: "https://evil.test" }],
    ["POST", { origin: "null" }],
    ["POST", { "sec-fetch-site": "cross-site", origin: "http://reeve.test" }],
    ["POST", { "sec-fetch-site": "same-site" }],
    ["POST", { "sec-fetch-site": "none" }],
    ["GET", { "sec-fetch-site": "cross-site" }],
    ["GET", { "sec-fetch-site": "same-site" }],
  ];
  for (const [method, headers] of refused) {
    const response = await ask(method, headers);
    assert.deepEqual([response.status, response.body.error.code], [403, "cross_site_request"], JSON.stringify(headers));
  }
  const allowed: [string, Record<string, string>][] = [
    ["GET", {}],
    ["GET", { "sec-fetch-site": "none" }],
    ["GET", { "sec-fetch-site": "same-origin" }],
    ["POST", { origin: "http://reeve.test" }],
  ];
  for (const [method, headers] of allowed) {
    assert.equal((await ask(method, headers)).status, 200, JSON.stringify(headers));
  }
});

test("what reveals, makes credentials or deletes a team needs a fresh proof, which holds for ten minutes", async () => {
  const user = await createUser();
  const { session } = await openSession(api, user);
  const made = await request("POST", "/v3/user/tokens", { session, body: { name: "fresh" } });
  assert.equal(made.status, 200, made.text);
  assert.equal(made.body.token.expiresAt, undefined, "it may outlive the session");
  clock.advance(10 * MINUTE_MS);
  const refused = await request("POST", "/v3/user/tokens", { session, body: { name: "stale" } });
  assert.deepEqual([refused.status, refused.body.error.code], [403, "proof_required"]);
  assert.equal((await request("POST", "/v3/user/tokens", { token: user.token, body: { name: "t" } })).status, 200);
});
