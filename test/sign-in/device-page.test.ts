// The page on which people approve programs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { createOAuthClient, form } from "./oauth-client.ts";
import { openSession } from "./open-session.ts";

const client = await startOwnApp();
const { clock, request, createUser, createTeam, query } = client;
const { begin, poll, submit, decide } = createOAuthClient(client);

const APPROVAL = { action: "approve", team: "", lifetime: "30" };

async function countDecided(): Promise<number> {
  const rows = await query("select hash from oauth_records where model = 'DeviceCode' and user_id is not null");
  return rows.length;
}

test("a code in the address is filled in, and nothing happens until the person has compared it and chosen", async () => {
  const user = await createUser();
  const { session } = await openSession(client, user);
  const begun = await begin();
  const decided = await countDecided();
  const page = await request("GET", `/console/device?user_code=${begun.user_code}`, { session });
  assert.equal(page.status, 200);
  assert.match(page.text, new RegExp(`name="user_code"[^>]*value="${begun.user_code}"`));
  assert.doesNotMatch(page.text, /127\.0\.0\.1|Approve as/);
  assert.equal(page.headers["referrer-policy"], "no-referrer");
  const shown = await submit(session, { action: "find", user_code: begun.user_code.toLowerCase() });
  assert.match(shown.text, /Approve as/);
  assert.equal(await countDecided(), decided);
  assert.equal((await poll(begun)).body.error, "authorization_pending");
});

test("the page names the program, where it asks from and since when, and what may be chosen", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const { session } = await openSession(client, user);
  const { user_code } = await begin({ device_name: "<b>desk</b>" }, { ip: "203.0.113.7" });
  const { text } = await submit(session, { action: "find", user_code });
  assert.match(text, /the Reeve command line/);
  assert.match(text, /&lt;b&gt;desk&lt;\/b&gt;/);
  assert.match(text, /203\.0\.113\.7[^]*<strong>This is not the address of this browser\.<\/strong>/);
  assert.ok(text.includes(new Date(clock.now).toISOString()));
  assert.match(text, new RegExp(`<option value="${team.id}">Only ${team.slug}</option>`));
  assert.match(text, /<option value="30"\s+selected>30 days<\/option>/);
  const own = await submit(session, { action: "find", user_code: (await begin()).user_code });
  assert.doesNotMatch(own.text, /not the address of this browser/);
});

test("a visitor who is not signed in signs in first and comes back with the code", async () => {
  const page = await request("GET", "/console/device?user_code=BCDF-GHJK", { token: null });
  const { location } = page.headers;
  assert.deepEqual(
    [page.status, location],
    [303, `sign-in?return=${encodeURIComponent("device?user_code=BCDF-GHJK")}`],
  );
  const begun = await begin();
  const posted = await request("POST", "/console/device", form({ ...APPROVAL, user_code: begun.user_code }));
  assert.equal(posted.status, 303);
  assert.equal((await poll(begun)).body.error, "authorization_pending");
});

test("approving needs a fresh proof, for which the code is kept", async () => {
  const user = await createUser();
  const { session } = await openSession(client, user);
  clock.advance(11 * 60_000);
  const begun = await begin();
  const { user_code } = begun;
  const back = `prove?return=${encodeURIComponent(`device?user_code=${user_code}`)}`;
  const path = `/console/device?user_code=${user_code}`;
  assert.equal((await request("GET", path, { session })).headers["location"], back);
  for (const fields of [{ action: "find" }, APPROVAL, { action: "refuse" }]) {
    const { status, headers } = await submit(session, { ...fields, user_code }, path);
    assert.deepEqual([status, headers["location"]], [303, back]);
  }
  assert.equal((await poll(begun)).body.error, "authorization_pending");
});

test("a page of another site, or a bearer credential, approves nothing", async () => {
  const user = await createUser();
  const { session } = await openSession(client, user);
  const begun = await begin();
  const fields = form({ ...APPROVAL, user_code: begun.user_code });
  for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "none" }]) {
    const { status } = await request("POST", "/console/device", {
      ...fields,
      headers: { ...fields.headers, cookie: `reeve=${session}`, ...headers },
    });
    assert.equal(status, 403);
  }
  const bearer = await request("POST", "/console/device", { ...fields, token: user.token });
  assert.equal(bearer.status, 303);
  assert.equal((await poll(begun)).body.error, "authorization_pending");
});

test("wrong codes pause the account that types them, and nobody else", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const { session } = await openSession(client, user);
  for (let attempt = 0; attempt < 5; attempt++) {
    const { status, text } = await submit(session, { action: "find", user_code: "BBBB-BBBB" });
    assert.equal(status, 404);
    assert.match(text, /class="problem" id="problem">[^]*?No program is waiting with this code/);
  }
  const begun = await begin();
  const paused = await submit(session, { ...APPROVAL, user_code: begun.user_code });
  assert.equal(paused.status, 429);
  assert.equal((await decide(other, begun)).status, 200);
  clock.advance(60_000);
  assert.equal((await submit(session, { ...APPROVAL, user_code: (await begin()).user_code })).status, 200);
});

test("the person finds the token of a program in a list, and ends it there", async () => {
  const user = await createUser();
  const { session } = await openSession(client, user);
  const begun = await begin();
  await decide(user, begun);
  const { access_token: token } = (await poll(begun)).body;
  const { id } = (await request("GET", "/v5/user/tokens/current", { token })).body.token;
  const page = await request("GET", "/console/tokens", { session });
  assert.match(page.text, /<strong>reeve login on laptop<\/strong>/);
  assert.ok(page.text.includes(`value="${id}"`) && !page.text.includes(token));
  assert.equal((await submit(session, { id }, "/console/tokens")).headers["location"], "tokens");
  assert.equal((await request("GET", "/v2/user", { token })).status, 401);
  const other = await createUser();
  const { id: foreign } = (await request("GET", "/v5/user/tokens/current", { token: other.token })).body.token;
  assert.equal((await submit(session, { id: foreign }, "/console/tokens")).status, 404);
});

test("what is stored leads to no code, and to no token", async () => {
  const user = await createUser();
  const begun = await begin();
  await decide(user, begun);
  const { access_token: token } = (await poll(begun)).body;
  const stored = JSON.stringify([
    await query("select * from oauth_records"),
    await query("select * from access_tokens"),
  ]);
  const { device_code, user_code } = begun;
  for (const value of [device_code, user_code, user_code.replace("-", ""), token]) {
    assert.ok(!stored.includes(value), value);
  }
});

test("a user has no more tokens than the setting says, however they are made", async () => {
  const few = await startOwnApp({ maxTokens: "2" });
  const flow = createOAuthClient(few);
  const user = await few.createUser();
  const [first, second] = [await flow.begin(), await flow.begin()];
  assert.equal((await flow.decide(user, first)).status, 200);
  assert.equal((await flow.decide(user, second)).status, 200);
  assert.equal((await flow.poll(first)).status, 200);
  const refused = await flow.poll(second);
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_grant"]);
  assert.match(refused.body.error_description, /REEVE_MAX_TOKENS/);
  const third = await flow.decide(user, await flow.begin());
  assert.deepEqual([third.status, /REEVE_MAX_TOKENS/.test(third.text)], [400, true]);
});

test("one address has some requests open, and keeps no other from asking", async () => {
  const { begin: ask, post } = createOAuthClient(await startOwnApp());
  for (let open = 0; open < 20; open++) await ask({}, { ip: `2001:db8::${open + 1}` });
  const refused = await post("/oauth/device_authorization", {}, { ip: "2001:db8::ffff" });
  assert.deepEqual([refused.status, refused.body.error], [429, "slow_down"]);
  await ask({}, { ip: "2001:db8:1::1" });
});

test("one network has more requests open, and keeps no other from asking, however many addresses it has", async () => {
  const world = await startOwnApp();
  const { begin: ask, post } = createOAuthClient(world);
  for (const [network, addressOf] of [
    ["2001:db8:2::/48", (at: number) => `2001:db8:2:${at.toString(16)}::1`],
    ["203.0.113.0/24", (at: number) => `203.0.113.${at}`],
  ] as const) {
    for (let open = 0; open < 400; open++) await ask({}, { ip: addressOf(Math.floor(open / 20)) });
    const refused = await post("/oauth/device_authorization", {}, { ip: addressOf(250) });
    assert.deepEqual([refused.status, refused.body.error], [429, "slow_down"], network);
  }
  await ask({}, { ip: "2001:db8:3::1" });
  await ask({}, { ip: "203.0.114.1" });
  // A person who waits no longer is not counted.
  world.clock.advance(11 * MINUTE_MS);
  await ask({}, { ip: "203.0.113.250" });
});
