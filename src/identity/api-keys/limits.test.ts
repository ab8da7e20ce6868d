// Credentials with limits: nobody hands on more than they have, and what one may see is never served to another.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body, TestUser } from "../../../test/harness/test-app.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startTestApp();
const { request, clock, createUser, createTeam, readEvents } = client;

async function openTeam() {
  const owner = await createUser();
  const team = await createTeam(owner);
  const scope = `?teamId=${team.id}`;
  return { owner, team, scope };
}

const createToken = (owner: TestUser, scope: string, body: object) =>
  request("POST", `/v3/user/tokens${scope}`, { token: owner.token, body: { name: "narrow", ...body } });

const KEYS = { role: "MEMBER", permissions: ["api-key:read", "api-key:manage", "secret:read", "secret:reveal"] };

test("a key is shown with its limits and what it may do, and its event names them", async () => {
  const { owner, team, scope } = await openTeam();
  const limits = { permissions: ["secret:read"], projects: ["shop"], environments: ["production"], names: ["DB_*"] };
  const { body } = await createKey(client, owner.token, scope, { role: "VIEWER", ...limits });
  for (const shown of [
    body.apiKey,
    (await request("GET", `/v1/api-keys/${body.apiKey.id}${scope}`, { token: owner.token })).body.apiKey,
    (await request("GET", `/v1/api-keys${scope}`, { token: owner.token })).body.apiKeys[0],
    (await request("POST", `/v1/api-keys/${body.apiKey.id}/rotate${scope}`, { token: owner.token })).body.apiKey,
    (await request("POST", `/v1/api-keys/${body.apiKey.id}/adopt${scope}`, { token: client.admin.token })).body.apiKey,
  ]) {
    const { permissions, projects, environments, names } = shown;
    assert.deepEqual({ permissions, projects, environments, names }, limits);
    assert.equal(shown.allows, body.allows);
  }
  assert.match(body.allows, /^It may do nothing\. Of no use so: secret:read\. Of projects it knows only shop\./);
  const made = (await readEvents(team.id)).find(({ type }) => type === "user-token-created");
  assert.deepEqual(made?.next, { name: "deploy", role: "VIEWER", ...limits, expiresAt: null, allowedCidrs: [] });
});

test("a dry run says what a credential may do, refuses what would be refused, and makes none", async () => {
  const { owner, scope } = await openTeam();
  const listed = async () => [
    (await request("GET", `/v1/api-keys${scope}`, { token: owner.token })).body.apiKeys.length,
    (await request("GET", "/v6/user/tokens", { token: owner.token })).body.tokens.length,
  ];
  const before = await listed();
  const body = { name: "dry", role: "VIEWER", permissions: ["secret:read"], names: ["DB_*"] };
  const dry = await request("POST", `/v1/api-keys${scope}&dryRun=true`, { token: owner.token, body });
  const { role: _role, ...ofToken } = body;
  const token = await request("POST", `/v3/user/tokens${scope}&dryRun=true`, { token: owner.token, body: ofToken });
  const allows =
    "It may see names of secrets, and nothing else. Of secrets and variables it knows only DB_*. It works from any address. It has no end.";
  for (const response of [dry, token]) assert.deepEqual([response.status, response.body], [200, { allows }]);
  const wrong = { ...body, expiresAt: clock.now - 1 };
  assert.equal(
    (await request("POST", `/v1/api-keys${scope}&dryRun=true`, { token: owner.token, body: wrong })).status,
    400,
  );
  assert.deepEqual(await listed(), before);
});

test("only names take a *, and a project or an environment with one is refused by a sentence that says so", async () => {
  const { owner, scope } = await openTeam();
  for (const field of ["projects", "environments"]) {
    const body = { role: "VIEWER", [field]: ["shop", "sh*"] };
    const key = await createKey(client, owner.token, scope, body);
    const token = await createToken(owner, scope, { [field]: ["shop", "sh*"] });
    for (const refused of [key, token]) {
      const { message } = refused.body.error;
      assert.deepEqual([refused.status, refused.body.error.field], [400, `body.${field}[1]`]);
      assert.match(message, /: expected an exact name: at most 100 letters \(A to Z\), .*; only `names` take `\*`$/);
    }
  }
  assert.equal((await createKey(client, owner.token, scope, { role: "VIEWER", names: ["SH*"] })).status, 200);
});

test("a limited credential makes credentials with the same limits or narrower ones, and none that knows more", async () => {
  const { owner, scope } = await openTeam();
  const limits = { projects: ["shop", "site"], names: ["DB_*", "API_KEY"] };
  const own = (await createKey(client, owner.token, scope, { ...KEYS, ...limits })).body;
  const asToken = (await createToken(owner, scope, { permissions: KEYS.permissions, ...limits })).body;
  for (const maker of [own.value, asToken.bearerToken]) {
    for (const [field, change] of [
      ["projects", { projects: ["web"] }],
      ["projects", { projects: undefined }],
      ["names", { names: ["*"] }],
      ["names", { names: ["D*"] }],
      ["names", { names: ["DB_A", "API_KEY*"] }],
      ["names", { names: undefined }],
    ] as const) {
      const { status, body } = await createKey(client, maker, "", { ...KEYS, ...limits, ...change });
      assert.deepEqual([status, body.error?.field], [403, `body.${field}`], JSON.stringify(change));
    }
    const more = await createKey(client, maker, "", { ...KEYS, ...limits, permissions: ["secret:write"] });
    assert.deepEqual([more.status, more.body.error.code], [403, "role_exceeds_creator"]);
    for (const change of [{}, { projects: ["shop"], environments: ["preview"], names: ["DB_A*", "api_key"] }]) {
      const made = await createKey(client, maker, "", { ...KEYS, ...limits, ...change });
      assert.equal(made.status, 200, made.text);
    }
    const token = await request("POST", "/v3/user/tokens", { token: maker, body: { name: "more" } });
    assert.equal(token.status, 403);
  }
});

test("keys that know more than a limited credential do not exist for it, page by page", async () => {
  const { owner, scope } = await openTeam();
  const limits = { projects: ["shop"] };
  const own = (await createKey(client, owner.token, scope, { ...KEYS, ...limits })).body;
  const ids: string[] = [own.apiKey.id];
  const others: string[] = [];
  for (let at = 0; at < 4; at++) {
    others.push((await createKey(client, owner.token, scope, KEYS)).body.apiKey.id);
    others.push((await createKey(client, owner.token, scope, { ...KEYS, projects: ["shop", "site"] })).body.apiKey.id);
    ids.unshift((await createKey(client, owner.token, scope, { ...KEYS, ...limits })).body.apiKey.id);
  }
  const seen: string[] = [];
  for (let until: number | null | undefined; until !== null;) {
    const query = `?limit=2${until === undefined ? "" : `&until=${until}`}`;
    const { body } = await request("GET", `/v1/api-keys${query}`, { token: own.value });
    seen.push(...body.apiKeys.map(({ id }: Body) => id));
    until = body.pagination.next;
  }
  assert.deepEqual(seen, ids);
  for (const id of others) {
    const calls = [
      await request("GET", `/v1/api-keys/${id}`, { token: own.value }),
      await request("POST", `/v1/api-keys/${id}/rotate`, { token: own.value }),
      await request("DELETE", `/v1/api-keys/${id}`, { token: own.value }),
    ];
    for (const { status, text } of calls) assert.equal(status, 404, text);
  }
  assert.equal((await request("POST", `/v1/api-keys/${ids[0]}/rotate`, { token: own.value })).status, 200);
});

test("rotation, its overlap and adoption keep the limits", async () => {
  const { owner, scope } = await openTeam();
  const made = (await createKey(client, owner.token, scope, { names: ["SHOP_*"] })).body;
  const path = `/v1/api-keys/${made.apiKey.id}`;
  const body = { overlapMs: HOUR_MS };
  const rotated = (await request("POST", `${path}/rotate${scope}`, { token: owner.token, body })).body;
  await request("POST", `${path}/adopt${scope}`, { token: client.admin.token });
  for (const token of [made.value, rotated.value]) {
    const create = (name: string) => request("POST", "/v2/secrets", { token, body: { name, value: "x" } });
    assert.equal((await create("OTHER")).status, 403);
    assert.equal((await create(`SHOP_${token.slice(-4)}`)).status, 200);
    assert.equal((await request("GET", "/v3/events", { token })).status, 403);
  }
});

test("a credential of an account with limits is for the account's own things, and not for its teams", async () => {
  const { owner, team, scope } = await openTeam();
  const key = (await createKey(client, owner.token, "", { names: ["SHOP_*"] })).body.value;
  const token = (await createToken(owner, "", { names: ["SHOP_*"] })).body.bearerToken;
  for (const value of [key, token]) {
    assert.equal((await request("GET", "/v2/secrets", { token: value })).status, 200);
    assert.equal((await request("GET", `/v2/secrets${scope}`, { token: value })).status, 403);
    const limited = await request("GET", `/v2/teams/${team.id}`, { token: value });
    assert.deepEqual([limited.body.limited, limited.body.description], [true, undefined]);
  }
});

test("a narrow token of an administrator administers nothing", async () => {
  const { team } = await openTeam();
  for (const limits of [{ permissions: ["team:read"] }, { projects: ["shop"] }]) {
    const { bearerToken } = (await createToken(client.admin, "", limits)).body;
    assert.equal((await request("GET", "/v1/users", { token: bearerToken })).status, 403);
    assert.equal((await request("GET", `/v2/teams/${team.id}`, { token: bearerToken })).status, 404);
    assert.equal((await request("GET", "/v3/events?instance=true", { token: bearerToken })).status, 403);
  }
});

test("a narrow token of a member removes nobody in its user's name, be it the user", async () => {
  const { team } = await openTeam();
  const member = await createUser();
  const owner = client.admin;
  await request("POST", `/v1/teams/${team.id}/members`, {
    token: owner.token,
    body: { uid: member.id, role: "VIEWER" },
  });
  await request("POST", "/v1/teams/join", { token: member.token, body: { teamId: team.id } });
  const { bearerToken } = (await createToken(member, "", { permissions: ["member:read"] })).body;
  const path = `/v1/teams/${team.id}/members/${member.id}`;
  assert.equal((await request("DELETE", path, { token: bearerToken })).status, 403);
  assert.equal((await request("DELETE", path, { token: member.token })).status, 200);
});

test("a limited key after an unlimited one gets a response of its own, and the other way round", async () => {
  const { owner, scope } = await openTeam();
  const wide = (await createKey(client, owner.token, scope)).body.value;
  const narrow = (await createKey(client, owner.token, scope, { names: ["SHOP_*"] })).body.value;
  const token = (await createToken(owner, scope, { names: ["OTHER"] })).body.bearerToken;
  for (const name of ["OTHER", "SHOP_A"]) {
    await request("POST", `/v2/secrets${scope}`, { token: owner.token, body: { name, value: "x" } });
  }
  const names = async (value: string, path: string) =>
    (await request("GET", path, { token: value })).body.secrets.map((one: Body) => one.name);
  // The second round is answered from the cache, where there is one.
  for (let round = 0; round < 3; round++) {
    for (const path of ["/v2/secrets", `/v2/secrets${scope}`]) {
      assert.deepEqual(await names(wide, path), ["SHOP_A", "OTHER"]);
      assert.deepEqual(await names(narrow, path), ["SHOP_A"]);
      assert.deepEqual(await names(token, path), ["OTHER"]);
    }
    assert.equal((await request("GET", "/v3/secrets/OTHER", { token: wide })).status, 200);
    assert.equal((await request("GET", "/v3/secrets/OTHER", { token: narrow })).status, 404);
    assert.equal((await request("GET", "/v3/secrets/OTHER", { token })).status, 200);
  }
});

test("any key reads itself, whatever limits it, until the end of the value that it sends; no other credential does", async () => {
  const { owner, team, scope } = await openTeam();
  const current = (token: string, query = "") => request("GET", `/v1/api-keys/current${query}`, { token });
  const limits = { permissions: ["gate:connect"], projects: ["shop"], expiresAt: clock.now + 2 * HOUR_MS };
  const made = (await createKey(client, owner.token, scope, limits)).body;
  const own = (await createKey(client, owner.token, "", { names: ["DB_*"] })).body;
  for (const { apiKey, value } of [made, own]) {
    const shown = await current(value);
    assert.deepEqual([shown.status, shown.body], [200, { apiKey }]);
    assert.ok(!shown.text.includes(value));
  }
  const rotated = await request("POST", `/v1/api-keys/${made.apiKey.id}/rotate${scope}`, {
    token: owner.token,
    body: { overlapMs: HOUR_MS },
  });
  const [old, fresh] = [await current(made.value), await current(rotated.body.value)];
  assert.deepEqual(
    [old, fresh].map(({ body }) => body.apiKey.expiresAt - clock.now),
    [HOUR_MS, 2 * HOUR_MS],
  );
  assert.notEqual(old.body.apiKey.allows, fresh.body.apiKey.allows);
  clock.advance(HOUR_MS);
  assert.equal((await current(made.value)).status, 401);
  assert.equal((await current(rotated.body.value, `?teamId=${team.id}`)).status, 200);
  assert.equal((await current(rotated.body.value, `?teamId=${(await openTeam()).team.id}`)).status, 404);
  const token = await current(owner.token);
  assert.deepEqual([token.status, token.body.error.code], [403, "forbidden"]);
  assert.match(token.body.error.message, /GET \/v5\/user\/tokens\/current shows an access token$/);
});
