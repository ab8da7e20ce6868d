import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, createTeamKey, readKeys } from "../../../test/resources/api-keys.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startTestApp();
const { request, admin, clock, createUser, createTeam, readEvents } = client;

test("a team's key is a principal of its own, sent in either header", async () => {
  const user = await createUser();
  const { team, scope, apiKey, value } = await createTeamKey(client, user);
  assert.match(value, /^rvk_[0-9A-Za-z]{46}$/);
  assert.deepEqual(apiKey, {
    id: apiKey.id,
    name: "deploy",
    ownerId: team.id,
    role: "OWNER",
    permissions: null,
    projects: null,
    environments: null,
    names: null,
    allows: "It may do everything that the role OWNER may. It works from any address. It has no end.",
    prefix: "rvk_",
    suffix: value.slice(-4),
    allowedCidrs: [],
    expiresAt: null,
    activeAt: clock.now,
    createdBy: user.id,
    createdAt: clock.now,
    previousExpiresAt: null,
    responsibleId: user.id,
    suspendedAt: null,
  });
  const bearer = await readKeys(client, value);
  const header = await request("GET", "/v1/api-keys", { token: null, headers: { "x-api-key": value } });
  for (const { status, body, text } of [bearer, header]) {
    assert.equal(status, 200);
    assert.deepEqual(body.apiKeys, [apiKey]);
    assert.ok(!text.includes(value));
  }
  const made = await createKey(client, value, "", { name: "made by a key" });
  assert.equal(made.body.apiKey.ownerId, team.id);
  assert.equal(made.body.apiKey.createdBy, apiKey.id);
  const events = await readEvents(team.id);
  assert.equal(events.at(-1)?.principalId, apiKey.id);
  assert.equal(events.at(-1)?.text, "API key deploy created API key made by a key");
  const { id: tokenId, suffix: tokenSuffix } = made.body.apiKey;
  const created = { tokenId, tokenName: "made by a key", origin: "manual", tokenPrefix: "rvk_", tokenSuffix };
  assert.deepEqual(events.at(-1)?.payload, { ...created, scope: "team", teamId: team.id });

  const own = await request("GET", `/v1/api-keys/${apiKey.id}${scope}`, { token: user.token });
  assert.deepEqual(own.body, { apiKey });
  assert.equal(own.headers["etag"], '"1"');
  assert.equal((await request("GET", "/v2/user", { token: value })).status, 403);
  assert.equal((await request("GET", "/v1/users", { token: value })).status, 403);
});

test("a team's key is of no use for other teams", async () => {
  const user = await createUser();
  const { value } = await createTeamKey(client, user);
  const other = await createTeam(user);
  const foreign = await request("GET", `/v1/api-keys?teamId=${other.id}`, { token: value });
  const absent = await request("GET", "/v1/api-keys?teamId=team_none", { token: value });
  assert.equal(foreign.status, 404);
  assert.deepEqual(foreign.body, absent.body);
});

test("a user's key acts for the user within its role, and never manages the account or its tokens", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const full = (await createKey(client, user.token, "")).body;
  assert.equal(full.apiKey.ownerId, user.id);
  assert.equal((await request("GET", "/v2/user", { token: full.value })).body.user.id, user.id);
  assert.equal((await request("GET", `/v1/api-keys?teamId=${team.id}`, { token: full.value })).status, 200);
  assert.equal(
    (await request("POST", "/v1/teams", { token: full.value, body: { slug: `t${clock.now}` } })).status,
    200,
  );

  const expiresAt = clock.now + DAY_MS;
  const viewer = (await createKey(client, user.token, "", { role: "VIEWER", expiresAt })).body;
  const { payload } = (await readEvents(user.id)).at(-1) as { payload: object };
  const { id: tokenId, suffix: tokenSuffix } = viewer.apiKey;
  const created = { tokenId, tokenName: "deploy", origin: "manual", tokenPrefix: "rvk_", tokenSuffix };
  assert.deepEqual(payload, { ...created, scope: "user", expiresAt });
  assert.equal((await request("GET", "/v2/user", { token: viewer.value })).status, 200);
  assert.equal((await request("GET", `/v1/api-keys?teamId=${team.id}`, { token: viewer.value })).status, 403);
  assert.equal((await request("POST", "/v1/teams", { token: viewer.value, body: { slug: "never" } })).status, 403);

  const refusals = await Promise.all([
    request("PATCH", "/v2/user", { token: full.value, body: { name: "x" } }),
    request("DELETE", "/v1/user", { token: full.value }),
    request("GET", "/v6/user/tokens", { token: full.value }),
    request("GET", "/v5/user/tokens/current", { token: full.value }),
    request("DELETE", "/v3/user/tokens/current", { token: full.value }),
  ]);
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [403, 403, 403, 403, 403],
  );
  const teamKey = (await createKey(client, user.token, `?teamId=${team.id}`)).body.value;
  for (const token of [full.value, teamKey]) {
    const { status, body } = await request("POST", "/v3/user/tokens", { token, body: { name: "x" } });
    assert.equal(status, 403);
    assert.equal(body.error.message, "Only user authentication tokens can be used to create new tokens.");
  }
});

test("an administrator's key does not administer the instance", async () => {
  const { value } = (await createKey(client, admin.token, "")).body;
  const user = await request("GET", "/v2/user", { token: value });
  assert.equal(user.body.user.isAdmin, false);
  assert.equal((await request("GET", "/v1/users", { token: value })).status, 403);
  const team = await createTeam(await createUser());
  assert.equal((await request("GET", `/v1/api-keys?teamId=${team.id}`, { token: value })).status, 404);
});

test("a key's role never exceeds its creator's, and lesser keys do not manage greater ones", async () => {
  const user = await createUser();
  const { scope, apiKey: owner } = await createTeamKey(client, user);
  const member = (await createKey(client, user.token, scope, { role: "MEMBER" })).body.value;
  assert.equal((await createKey(client, member, "", { role: "DEVELOPER" })).status, 200);
  const refusals = [
    await createKey(client, member, "", { role: "OWNER" }),
    await request("POST", `/v1/api-keys/${owner.id}/rotate`, { token: member }),
    await request("DELETE", `/v1/api-keys/${owner.id}`, { token: member }),
  ];
  for (const { status, body } of refusals) {
    assert.equal(status, 403);
    assert.equal(body.error.code, "role_exceeds_creator");
    assert.equal(body.error.message, "Not authorized: the role OWNER may do more than you may here");
  }
  const viewer = (await createKey(client, user.token, scope, { role: "VIEWER" })).body.value;
  assert.equal((await readKeys(client, viewer)).body.error.code, "forbidden");
});

test("invalid bodies are refused by field", async () => {
  const user = await createUser();
  const cases: [object, string][] = [
    [{ role: "KING" }, "body.role"],
    [{ name: "" }, "body.name"],
    [{ expiresAt: clock.now }, "body.expiresAt"],
    [{ allowedCidrs: ["10.0.0.1/8"] }, "body.allowedCidrs[0]"],
    [{ allowedCidrs: ["10.0.0.0/8", "10.0.0.0/33"] }, "body.allowedCidrs[1]"],
    [{ allowedCidrs: ["0x7f.1"] }, "body.allowedCidrs[0]"],
    [{ allowedCidrs: ["::ffff:10.0.0.0/104"] }, "body.allowedCidrs[0]"],
    [{ allowedCidrs: ["fe80::1%eth0"] }, "body.allowedCidrs[0]"],
    [{ allowedCidrs: ["example.com"] }, "body.allowedCidrs[0]"],
    [{ unknown: 1 }, "body.unknown"],
  ];
  for (const [body, field] of cases) {
    const response = await createKey(client, user.token, "", body);
    assert.equal(response.status, 400, JSON.stringify(body));
    assert.equal(response.body.error.field, field);
  }
  const { value } = (await createKey(client, user.token, "")).body;
  const { body } = await request("GET", "/v1/api-keys", { token: user.token });
  const rotate = (overlapMs: unknown) =>
    request("POST", `/v1/api-keys/${body.apiKeys[0].id}/rotate`, { token: user.token, body: { overlapMs } });
  assert.equal((await rotate(DAY_MS + 1)).status, 400);
  assert.equal((await rotate(-1)).status, 400);
  assert.equal((await readKeys(client, value)).status, 200, "a refused rotation changes nothing");
});

test("another owner's key looks like one that does not exist", async () => {
  const user = await createUser();
  const { apiKey } = await createTeamKey(client, await createUser());
  for (const [method, path] of [
    ["GET", ""],
    ["DELETE", ""],
    ["POST", "/rotate"],
  ] as const) {
    const foreign = await request(method, `/v1/api-keys/${apiKey.id}${path}`, { token: user.token });
    const absent = await request(method, `/v1/api-keys/key_none${path}`, { token: user.token });
    assert.equal(foreign.status, 404);
    assert.deepEqual(foreign.body, absent.body);
  }
});

test("keys are listed newest first and page by page", async () => {
  const user = await createUser();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.unshift((await createKey(client, user.token, "")).body.apiKey.id);
  const read = async (query: string) =>
    (await request("GET", `/v1/api-keys?limit=2&${query}`, { token: user.token })).body;
  const seen: string[] = [];
  let page = await read("");
  for (;;) {
    seen.push(...page.apiKeys.map(({ id }: { id: string }) => id));
    if (page.pagination.next === null) break;
    page = await read(`until=${page.pagination.next}`);
  }
  assert.deepEqual(seen, ids);
  const newer = await read(`since=${page.pagination.prev}`);
  assert.deepEqual(
    newer.apiKeys.map(({ id }: { id: string }) => id),
    ids.slice(2, 4),
  );
});

test("keys are found by their name, their suffix and their state", async () => {
  const user = await createUser();
  const { scope, apiKey: deploy, value } = await createTeamKey(client, user);
  const create = async (name: string, body: object = {}) =>
    (await createKey(client, user.token, scope, { name, ...body })).body.apiKey;
  const soon = await create("Deploys soon", { expiresAt: clock.now + 6 * DAY_MS });
  const ended = await create("Gate", { expiresAt: clock.now + 1_000 });
  const late = await create("Late", { expiresAt: clock.now + 8 * DAY_MS });
  clock.advance(1_000);
  const find = async (query: string) => {
    const { body, text } = await request("GET", `/v1/api-keys${scope}&${query}`, { token: user.token });
    assert.ok(body.apiKeys, text);
    return body.apiKeys.map(({ id }: { id: string }) => id);
  };
  assert.deepEqual(await find("search=DEPLOY"), [soon.id, deploy.id]);
  assert.deepEqual(await find(`search=${ended.suffix}`), [ended.id]);
  assert.deepEqual(await find(`search=${encodeURIComponent(value)}`), [], "a value is not looked for");
  assert.deepEqual(await find("state=active"), [late.id, soon.id, deploy.id]);
  assert.deepEqual(await find("state=ending"), [soon.id]);
  assert.deepEqual(await find("state=ending&search=gate"), []);
  assert.deepEqual(await find("state=expired"), [ended.id]);
  assert.deepEqual(await find("state=suspended"), []);
  // Each page but the last one leads to the next.
  const page = await request("GET", `/v1/api-keys${scope}&state=active&limit=2`, { token: user.token });
  assert.deepEqual(
    page.body.apiKeys.map(({ id }: { id: string }) => id),
    [late.id, soon.id],
  );
  assert.deepEqual(await find(`state=active&limit=2&until=${page.body.pagination.next}`), [deploy.id]);
  const wrong = await request("GET", `/v1/api-keys${scope}&state=used`, { token: user.token });
  assert.deepEqual([wrong.status, wrong.body.error.field], [400, "query.state"]);
  assert.deepEqual(await find("state=unused"), [late.id, ended.id, soon.id, deploy.id]);
});

test("keys are found by their role, who answers for them, and their last use", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const { team, scope, apiKey: idle } = await createTeamKey(client, user, { role: "VIEWER" });
  const invited = { token: user.token, body: { uid: other.id, role: "OWNER" } };
  assert.equal((await request("POST", `/v1/teams/${team.id}/members`, invited)).status, 200);
  await request("POST", "/v1/teams/join", { token: other.token, body: { teamId: team.id } });
  const created = clock.now;
  clock.advance(10 * DAY_MS);
  const busy = (await createKey(client, user.token, scope, { role: "DEVELOPER", name: "busy" })).body;
  const theirs = (await createKey(client, other.token, scope, { role: "VIEWER", name: "theirs" })).body;
  clock.advance(DAY_MS);
  // Uses are stored once a minute.
  await client.query(`update api_keys set active_at = ${clock.now} where id = '${busy.apiKey.id}'`);
  const find = async (query: string) => {
    const { body, text } = await request("GET", `/v1/api-keys${scope}&${query}`, { token: user.token });
    assert.ok(body.apiKeys, text);
    return body.apiKeys.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await find("role=VIEWER"), ["theirs", idle.name]);
  assert.deepEqual(await find("role=DEVELOPER"), ["busy"]);
  assert.deepEqual(await find(`responsibleId=${other.id}`), ["theirs"]);
  assert.deepEqual(await find("responsibleId=nobody"), []);
  assert.deepEqual(await find(`activeBefore=${created}`), []);
  assert.deepEqual(await find(`activeBefore=${created + 1}`), [idle.name]);
  assert.deepEqual(await find(`activeBefore=${clock.now - 1}`), ["theirs", idle.name], "busy was used since");
  assert.deepEqual(await find(`activeBefore=${clock.now}&role=VIEWER&responsibleId=${user.id}`), [idle.name]);
  assert.equal(theirs.apiKey.responsibleId, other.id);
  for (const [query, field] of [
    ["role=KING", "query.role"],
    ["activeBefore=yesterday", "query.activeBefore"],
  ]) {
    const { status, body } = await request("GET", `/v1/api-keys${scope}&${query}`, { token: user.token });
    assert.deepEqual([status, body.error.field], [400, field]);
  }
});
