// The device flow as any client speaks it: the cases of RFC 8628.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse } from "../../../test/harness/test-app.ts";
import { DEVICE_GRANT, POLL_MS, createOAuthClient } from "../../../test/sign-in/oauth-client.ts";

const client = await startTestApp();
const { clock, request, createUser, createTeam, readEvents } = client;
const { post, begin, poll, decide, signIn } = createOAuthClient(client);

const DAY_MS = 86_400_000;

function assertError({ status, body }: TestResponse, code: string, expectedStatus = 400): void {
  assert.deepEqual([status, body.error], [expectedStatus, code]);
}

test("a request gets a code for people, one for the program, and where to go", async () => {
  const { status, body, headers } = await post("/oauth/device_authorization", { device_name: "laptop" });
  assert.equal(status, 200);
  const { device_code: deviceCode, user_code: userCode, ...rest } = body;
  assert.match(deviceCode, /^[\w-]{43}$/);
  assert.match(userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  const page = "http://localhost:80/console/device";
  assert.deepEqual(rest, {
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: 600,
    interval: 5,
  });
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["access-control-allow-origin"], undefined);
});

test("until somebody decides, the token is pending", async () => {
  const begun = await begin();
  for (let round = 0; round < 3; round++) assertError(await poll(begun), "authorization_pending");
});

test("who asks too early is told to slow down, and waits five seconds longer each time", async () => {
  const begun = await begin();
  const ask = () => post("/oauth/token", { grant_type: DEVICE_GRANT, device_code: begun.device_code });
  assertError(await ask(), "authorization_pending");
  clock.advance(1_000);
  assertError(await ask(), "slow_down");
  clock.advance(POLL_MS);
  assertError(await ask(), "slow_down");
  clock.advance(14_000);
  assertError(await ask(), "slow_down");
  clock.advance(20_100);
  assertError(await ask(), "authorization_pending");
});

test("an approved program gets an access token of Reeve's own", async () => {
  const user = await createUser();
  const begun = await begin();
  assert.equal((await decide(user, begun)).status, 200);
  const approvedAt = clock.now;
  const { status, body } = await poll(begun);
  assert.equal(status, 200);
  const { access_token: token, expires_in: expiresIn, ...rest } = body;
  assert.match(token, /^rvt_\w{46}$/);
  assert.deepEqual(rest, { token_type: "Bearer", scope: "api" });
  assert.equal(expiresIn, Math.floor((30 * DAY_MS - POLL_MS) / 1_000));

  const current = await request("GET", "/v5/user/tokens/current", { token });
  const { id, name, origin, expiresAt, teamId } = current.body.token;
  assert.deepEqual(
    [name, origin, expiresAt, teamId],
    ["reeve login on laptop", "app", approvedAt + 30 * DAY_MS, undefined],
  );
  const [approved, issued] = (await readEvents(user.id)).slice(-2);
  assert.deepEqual(
    [approved?.type, approved?.text],
    ["oauth-app-connection-created", `${user.username} approved reeve login on laptop`],
  );
  assert.deepEqual([issued?.type, issued?.entityId, issued?.payload.clientId], ["user-token-created", id, "reeve-cli"]);
  assert.equal(issued?.principalId, user.id);
});

test("a code is used once: a second use is refused, and takes the token back", async () => {
  const user = await createUser();
  const begun = await begin();
  await decide(user, begun);
  const { access_token: token } = (await poll(begun)).body;
  assert.equal((await request("GET", "/v2/user", { token })).status, 200);
  assertError(await poll(begun), "invalid_grant");
  assert.equal((await request("GET", "/v2/user", { token })).status, 401);
  assert.equal((await readEvents(user.id)).at(-1)?.type, "user-token-deleted");
});

test("a refused program learns that it was refused", async () => {
  const user = await createUser();
  const begun = await begin();
  const page = await decide(user, begun, { action: "refuse" });
  assert.deepEqual([page.status, /<h1>Refused<\/h1>/.test(page.text)], [200, true]);
  assertError(await poll(begun), "access_denied");
});

test("an expired code is called expired as long as it is known, and cannot be approved", async () => {
  const user = await createUser();
  const begun = await begin();
  clock.advance(600_000);
  assertError(await poll(begun), "expired_token");
  assert.equal((await decide(user, begun)).status, 404);
  clock.advance(600_000);
  while ((await client.app.runner.changes.pruneOAuthRecords(null, clock.now)) > 0);
  assertError(await poll(begun), "invalid_grant");
});

test("what the protocol does not know is refused in its own words", async () => {
  const device = "/oauth/device_authorization";
  assertError(await post(device, { client_id: "nobody" }), "invalid_client", 401);
  assertError(await post(device, { device_name: "a\u0007b" }), "invalid_request");
  assertError(await post(device, { device_name: "x".repeat(65) }), "invalid_request");
  assertError(await post("/oauth/token", { grant_type: DEVICE_GRANT }), "invalid_request");
  assertError(await post("/oauth/token", { grant_type: DEVICE_GRANT, device_code: "nothing" }), "invalid_grant");
  assertError(await post("/oauth/token", { grant_type: "password" }), "unsupported_grant_type");
  assertError(await post("/oauth/token", { grant_type: "authorization_code", code: "x" }), "invalid_request");
  const json = { headers: { "content-type": "application/json" }, body: "{}" };
  assertError(await post(device, {}, json), "invalid_request");
  assertError(await post(device, {}, { body: "client_id=reeve-cli&client_id=other" }), "invalid_request");
  assertError(await post(device, {}, { headers: { origin: "https://elsewhere.example" } }), "invalid_request");
  assert.equal((await request("GET", "/oauth/token")).status, 404);
  for (const path of ["/oauth/jwks", "/jwks", "/.well-known/openid-configuration", "/device"]) {
    assert.equal((await request("GET", path, { token: null })).status, 404, path);
  }
});

test("the person chooses one team, and the token knows of no other", async () => {
  const user = await createUser();
  const [team, other] = [await createTeam(user), await createTeam(user)];
  const token = await signIn(user, { team: team.id });
  assert.equal((await request("GET", `/v1/api-keys?teamId=${team.id}`, { token })).status, 200);
  assert.equal((await request("GET", `/v1/api-keys?teamId=${other.id}`, { token })).status, 403);
  const foreign = await createTeam(await createUser());
  assert.equal((await decide(user, await begin(), { team: foreign.id })).status, 404);
});

test("the person chooses the end", async () => {
  const user = await createUser();
  const begun = await begin({});
  await decide(user, begun, { lifetime: "never" });
  const { body } = await poll(begun);
  assert.equal(body.expires_in, undefined);
  const { token } = (await request("GET", "/v5/user/tokens/current", { token: body.access_token })).body;
  assert.deepEqual([token.name, token.expiresAt], ["reeve login", undefined]);
  for (const lifetime of ["2", "0", "-1", "", "x", "36500"]) {
    const refused = await decide(user, await begin(), { lifetime });
    assert.equal(refused.status, 400, lifetime);
  }
  const short = await signIn(user, { lifetime: "1" });
  clock.advance(DAY_MS);
  assert.equal((await request("GET", "/v2/user", { token: short })).status, 401);
});

test("what the person may no longer do, the program does not get either", async () => {
  const owner = await createUser();
  const user = await createUser();
  const team = await createTeam(owner);
  const invited = { body: { uid: user.id, role: "MEMBER" }, token: owner.token };
  await request("POST", `/v1/teams/${team.id}/members`, invited);
  await request("POST", "/v1/teams/join", { token: user.token, body: { teamId: team.id } });
  const begun = await begin();
  const decided = await decide(user, begun, { team: team.id });
  assert.equal(decided.status, 200, decided.text);
  await request("DELETE", `/v1/teams/${team.id}/members/${user.id}`, { token: owner.token });
  const refused = await poll(begun);
  assertError(refused, "invalid_grant");
  assert.match(refused.body.error_description, /no longer a member/);

  const other = await begin();
  await decide(user, other);
  await request("PATCH", `/v1/users/${user.id}`, { body: { suspended: true } });
  assertError(await poll(other), "invalid_grant");
});
