// Trust rules through HTTP: what they refuse, and how keys end with them and with the person who answers for them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { AUDIENCE, SUBJECT, openWorkload } from "../../../test/resources/workload.ts";
import { MAX_TRUST_RULES } from "./contract.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp({ egressAllow: "127.0.0.1" });
const { request, clock, createUser, createTeam, readEvents } = client;
const { github, createTrustRule, claimsNow, accepted, refused, statusWith } = await openWorkload(client);

test("a refusal of a signed token is an event of the team, once a minute", async () => {
  const { team } = await createTrustRule();
  for (let count = 0; count < 3; count++)
    await refused(team.id, await github.sign(claimsNow({ sub: "repo:evil/shop" })));
  await refused(team.id, await github.sign(claimsNow({ aud: "other" })));
  const refusals = async () => (await readEvents(team.id)).filter(({ type }) => type === "identity-refused");
  const [first, ...rest] = await refusals();
  assert.deepEqual(rest, []);
  assert.deepEqual([first?.payload.subject, first?.payload.reason], ["repo:evil/shop", "these claims do not fit: sub"]);
  clock.advance(MINUTE_MS);
  await refused(team.id, await github.sign(claimsNow({ sub: "repo:evil/shop" })));
  assert.equal((await refusals()).length, 2);
});

test("who may do less than a rule neither changes nor deletes it, and a team has fifty rules at most", async () => {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const member = await createUser();
  await team.add(member, "MEMBER");
  const scope = `?teamId=${team.id}`;
  const body = { name: "ci", issuer: github.url, audience: AUDIENCE, claims: { sub: SUBJECT }, role: "OWNER" };
  const create = () => request("POST", `/v1/identity/trusts${scope}`, { token: owner.token, body });
  const { trust } = (await create()).body;
  const path = `/v1/identity/trusts/${trust.id}${scope}`;
  for (const answer of [
    await request("PATCH", path, { token: member.token, body: { name: "mine" } }),
    await request("DELETE", path, { token: member.token }),
  ]) {
    assert.deepEqual([answer.status, answer.body.error.code], [403, "role_exceeds_creator"], answer.text);
  }
  for (let made = 1; made < MAX_TRUST_RULES; made++) assert.equal((await create()).status, 200);
  const more = await create();
  assert.equal(more.body.error?.code, "too_many_trusts", more.text);
});

test("keys end with their rule, and with a change of it", async () => {
  for (const end of [
    (path: string, token: string) => request("DELETE", path, { token }),
    (path: string, token: string) => request("PATCH", path, { token, body: { claims: { sub: "repo:acme/site" } } }),
  ]) {
    const { team, trust, owner, scope } = await createTrustRule();
    const value = await accepted(team.id, await github.sign(claimsNow()));
    const path = `/v1/identity/trusts/${trust.id}${scope}`;
    const renamed = await request("PATCH", path, { token: owner.token, body: { name: "Renamed" } });
    assert.equal(renamed.body.trust.name, "Renamed");
    assert.equal(await statusWith(value), 200);
    assert.equal((await end(path, owner.token)).status, 200);
    assert.equal(await statusWith(value), 401);
    await refused(team.id, await github.sign(claimsNow()));
  }
});

test("a key that a rule issued lives no longer for being rotated or adopted", async () => {
  const { team, owner, scope } = await createTrustRule();
  await accepted(team.id, await github.sign(claimsNow()));
  const [issued] = await client.query(`select id from api_keys where team_id = '${team.id}' and trust_id is not null`);
  for (const change of ["rotate", "adopt"]) {
    const path = `/v1/api-keys/${issued?.["id"] as string}/${change}${scope}`;
    const answer = await request("POST", path, { token: owner.token });
    assert.deepEqual([answer.status, answer.body.error.code], [403, "forbidden"], answer.text);
  }
});

test("a rule is suspended with the person who answers for it, until somebody adopts it", async () => {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const carol = await createUser();
  await team.add(carol, "MEMBER");
  const scope = `?teamId=${team.id}`;
  const body = { name: "ci", issuer: github.url, audience: AUDIENCE, claims: { sub: SUBJECT }, role: "DEVELOPER" };
  const { trust } = (await request("POST", `/v1/identity/trusts${scope}`, { token: carol.token, body })).body;
  assert.equal(trust.responsibleId, carol.id);
  const value = await accepted(team.id, await github.sign(claimsNow()));
  const left = await request("DELETE", `/v1/teams/${team.id}/members/${carol.id}`, { token: owner.token });
  assert.equal(left.status, 200);
  assert.equal(await statusWith(value), 401);
  await refused(team.id, await github.sign(claimsNow()));
  const keys = await request("GET", `/v1/identity/trusts/${trust.id}/keys${scope}`, { token: owner.token });
  assert.deepEqual(keys.body.apiKeys, [], "they do not work");
  const suspended = (await readEvents(team.id)).find(({ type }) => type === "identity-trusts-suspended");
  assert.deepEqual(suspended?.payload.trusts, [{ trustId: trust.id, trustName: "ci" }]);
  const path = `/v1/identity/trusts/${trust.id}${scope}`;
  const renamed = await request("PATCH", path, { token: owner.token, body: { name: "still" } });
  assert.equal(renamed.body.trust.suspendedAt, clock.now);
  const adopted = await request("PATCH", path, { token: owner.token, body: { adopt: true } });
  assert.deepEqual([adopted.body.trust.suspendedAt, adopted.body.trust.responsibleId], [null, owner.id]);
  await accepted(team.id, await github.sign(claimsNow()));
});

test("rules that let everybody in, lead where egress may not go, or give what outlives a key are refused", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const good = {
    name: "ci",
    issuer: "https://id.example.com",
    audience: AUDIENCE,
    claims: { sub: SUBJECT },
    role: "OWNER",
  };
  const create = (change: object, token = owner.token) =>
    request("POST", `/v1/identity/trusts?teamId=${team.id}`, { token, body: { ...good, ...change } });
  for (const [change, field] of [
    [{ claims: { sub: "*" } }, "body.claims"],
    [{ claims: { sub: ["repo:acme/shop:*", "**"] } }, "body.claims"],
    [{ claims: { "a..b": "x" } }, "body.claims.a..b"],
    [{ claims: { "[1]": "x" } }, "body.claims.[1]"],
    [{ claims: { sub: Array.from({ length: 10 }, () => "x".repeat(500)) } }, "body.claims"],
    [{ issuer: "http://id.example.com" }, "body.issuer"],
    [{ issuer: "https://10.0.0.1" }, "body.issuer"],
    [{ issuer: "https://id.example.com/?x" }, "body.issuer"],
    [{ permissions: ["api-key:manage"] }, "body.permissions[0]"],
    [{ permissions: ["webhook:read", "webhook:write"] }, "body.permissions[1]"],
    [{ names: ["a b"] }, "body.names[0]"],
    [{ projects: [] }, "body.projects"],
    [{ expiresAt: 1 }, "body.expiresAt"],
  ] as const) {
    const { status, body } = await create(change);
    assert.deepEqual([status, body.error?.field], [400, field], JSON.stringify(body));
  }
  const made = await create({});
  const path = `/v1/identity/trusts/${made.body.trust.id}?teamId=${team.id}`;
  const widened = { issuer: "https://token.actions.githubusercontent.com", claims: { ref: "main" } };
  for (const body of [widened, { claims: { iss: "https://id.example.com" } }]) {
    const { status, body: answer } = await request("PATCH", path, { token: owner.token, body });
    assert.deepEqual([status, answer.error?.field], [400, "body.claims"]);
  }
  for (const permission of ["api-key:manage", "member:manage", "invite:manage", "webhook:write"]) {
    assert.ok(!made.body.trust.permissions.includes(permission));
  }
  const key = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: owner.token,
    body: { name: "short", role: "OWNER", expiresAt: clock.now + HOUR_MS },
  });
  assert.equal((await create({}, key.body.value)).status, 403, "a rule would outlive the key");
});

test("an account's rule gives keys of the account, which do not act for its user", async () => {
  const user = await createUser();
  const body = { name: "laptop", issuer: github.url, audience: AUDIENCE, claims: { sub: SUBJECT }, role: "OWNER" };
  assert.equal((await request("POST", "/v1/identity/trusts", { token: user.token, body })).status, 200);
  const value = await accepted(user.id, await github.sign(claimsNow()));
  assert.equal(await statusWith(value), 200);
  const token = await request("POST", "/v3/user/tokens", { token: value, body: { name: "more" } });
  assert.equal(token.status, 403);
  assert.equal(
    (await request("POST", "/v1/api-keys", { token: value, body: { name: "more", role: "VIEWER" } })).status,
    403,
  );
});

test("a rule says when it was last used, to the minute, and lists its keys that still work", async () => {
  const { team, trust, owner, scope } = await createTrustRule();
  const path = `/v1/identity/trusts/${trust.id}`;
  const get = async (of: string) => {
    const { status, body, text } = await request("GET", of, { token: owner.token });
    assert.equal(status, 200, text);
    return body;
  };
  const lastUse = async () => (await get(path + scope)).trust.activeAt;
  const issue = async () => await accepted(team.id, await github.sign(claimsNow()));
  assert.equal(await lastUse(), null);
  const values = [await issue()];
  const first = clock.now;
  clock.advance(MINUTE_MS - 1);
  values.push(await issue());
  assert.equal(await lastUse(), first);
  clock.advance(1);
  values.push(await issue());
  assert.equal(await lastUse(), first + MINUTE_MS);

  const list = async (query = "") => await get(`${path}/keys${scope}${query}`);
  const { apiKeys, pagination } = await list("&limit=2");
  assert.deepEqual(
    apiKeys.map(({ createdAt, suffix }: Body) => [createdAt, suffix]),
    [
      [first + MINUTE_MS, values[2]?.slice(-4)],
      [first + MINUTE_MS - 1, values[1]?.slice(-4)],
    ],
  );
  const rest = await list(`&limit=2&until=${pagination.next}`);
  assert.deepEqual([rest.apiKeys.length, rest.pagination.next], [1, null]);

  const [newest] = apiKeys;
  assert.equal((await request("DELETE", `/v1/api-keys/${newest.id}${scope}`, { token: owner.token })).status, 200);
  assert.deepEqual(await Promise.all(values.map((value) => statusWith(value))), [200, 200, 401]);
  clock.advance(14 * MINUTE_MS);
  assert.equal((await list()).apiKeys.length, 1, "the first has ended");
  const other = await createTrustRule();
  const foreign = await request("GET", `${path}/keys${scope}`, { token: other.owner.token });
  assert.equal(foreign.status, 404);
  const elsewhere = await request("GET", `${path}/keys${other.scope}`, { token: other.owner.token });
  assert.equal(elsewhere.status, 404);
});
