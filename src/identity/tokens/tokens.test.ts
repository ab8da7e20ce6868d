import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { send, startOwnApp } from "../../../test/harness/test-app.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { app, request, clock, createUser, createTeam, readEvents, startAnother } = client;

async function createToken(
  token: string,
  { query = "", ...body }: { query?: string; expiresAt?: number; name?: string },
) {
  return await request("POST", `/v3/user/tokens${query}`, { token, body: { name: "CI", ...body } });
}

test("a token is created, shown once, listed, read and deleted", async () => {
  const user = await createUser();
  const expiresAt = clock.now + HOUR_MS;
  const created = await createToken(user.token, { expiresAt });
  assert.equal(created.status, 200);
  const { token, bearerToken } = created.body;
  assert.match(bearerToken, /^rvt_[0-9A-Za-z]{46}$/);
  assert.match(token.id, /^[0-9a-f]{64}$/);
  const now = clock.now;
  assert.deepEqual(token, {
    id: token.id,
    name: "CI",
    type: "token",
    prefix: "rvt_",
    suffix: bearerToken.slice(-4),
    origin: "manual",
    scopes: [{ type: "user", origin: "manual", createdAt: now, expiresAt }],
    permissions: null,
    projects: null,
    environments: null,
    names: null,
    allowedCidrs: [],
    allows: "It may do everything that its user may. It works from any address. It ends on 2030-01-01 at 01:00 UTC.",
    createdAt: now,
    activeAt: now,
    expiresAt,
  });
  assert.equal((await request("GET", "/v2/user", { token: bearerToken })).body.user.id, user.id);

  for (const path of ["/v6/user/tokens", "/v5/user/tokens", "/user/tokens"]) {
    const { body, text } = await request("GET", path, { token: user.token });
    assert.deepEqual(body.tokens[0], token);
    assert.equal(body.pagination.count, 2);
    assert.ok(!text.includes(bearerToken));
  }
  const read = await request("GET", `/v5/user/tokens/${token.id}`, { token: user.token });
  assert.deepEqual(read.body, { token });
  const current = await request("GET", "/v5/user/tokens/current", { token: bearerToken });
  assert.deepEqual(current.body, { token });

  const deleted = await request("DELETE", `/v3/user/tokens/${token.id}`, { token: user.token });
  assert.deepEqual(deleted.body, { tokenId: token.id });
  assert.equal((await request("GET", "/v2/user", { token: bearerToken })).status, 401);
  assert.equal((await request("GET", `/v5/user/tokens/${token.id}`, { token: user.token })).status, 404);
  assert.equal((await request("DELETE", `/v3/user/tokens/${token.id}`, { token: user.token })).status, 404);

  const [creation, deletion] = (await readEvents(user.id)).slice(-2);
  assert.equal(creation?.type, "user-token-created");
  assert.deepEqual(creation?.payload, {
    tokenId: token.id,
    tokenName: "CI",
    scope: "user",
    origin: "manual",
    tokenPrefix: "rvt_",
    tokenSuffix: token.suffix,
    expiresAt,
  });
  assert.equal(deletion?.type, "user-token-deleted");
  const { actorTokenId, ...payload } = deletion?.payload ?? {};
  assert.deepEqual(payload, { tokenId: token.id, tokenName: "CI", tokenType: "token" });
  assert.match(actorTokenId, /^[0-9a-f]{64}$/);
  assert.ok(!JSON.stringify(await readEvents(user.id)).includes(bearerToken));
});

test("signing out deletes the current token", async () => {
  const user = await createUser();
  const { body } = await createToken(user.token, {});
  const out = await request("DELETE", "/v3/user/tokens/current", { token: body.bearerToken });
  assert.deepEqual(out.body, { tokenId: body.token.id });
  assert.equal((await request("GET", "/v2/user", { token: body.bearerToken })).status, 401);
  assert.equal((await request("GET", "/v2/user", { token: user.token })).status, 200);
});

test("a token ends when it expires, and cannot be made to end in the past", async () => {
  const user = await createUser();
  const { body } = await createToken(user.token, { expiresAt: clock.now + 1 });
  assert.equal((await request("GET", "/v2/user", { token: body.bearerToken })).status, 200);
  clock.advance(1);
  assert.equal((await request("GET", "/v2/user", { token: body.bearerToken })).status, 401);
  for (const expiresAt of [clock.now, 0]) {
    const refused = await createToken(user.token, { expiresAt });
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.code, "invalid_expiry");
  }
});

test("invalid bodies and ids are refused by name", async () => {
  const { token } = await createUser();
  const cases: [unknown, string][] = [
    [{}, "body.name"],
    [{ name: "" }, "body.name"],
    [{ name: "CI", expiresAt: "tomorrow" }, "body.expiresAt"],
    [{ name: "CI", expiresAt: 1e300 }, "body.expiresAt"],
    [{ name: "CI", projectId: "no project" }, "body.projectId"],
    [{ name: "CI", projectId: "shop", projects: ["shop"] }, "body.projectId"],
    [{ name: "CI", permissions: [] }, "body.permissions"],
    [{ name: "CI", permissions: ["secret:eat"] }, "body.permissions[0]"],
    [{ name: "CI", names: ["a b"] }, "body.names[0]"],
    [{ name: "CI", environments: [""] }, "body.environments[0]"],
    [{ name: "CI", allowedCidrs: ["10.0.0.1/8"] }, "body.allowedCidrs[0]"],
  ];
  for (const [body, field] of cases) {
    const response = await request("POST", "/v3/user/tokens", { token, body });
    assert.equal(response.status, 400, JSON.stringify(body));
    assert.equal(response.body.error.field, field);
  }
  assert.equal((await request("GET", "/v5/user/tokens/nothing", { token })).status, 404);
});

test("another user's token looks like one that does not exist", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const { body } = await createToken(other.token, {});
  for (const method of ["GET", "DELETE"]) {
    const foreign = await request(method, `/user/tokens/${body.token.id}`, { token: user.token });
    const absent = await request(method, `/user/tokens/${"0".repeat(64)}`, { token: user.token });
    assert.equal(foreign.status, 404);
    assert.deepEqual(foreign.body, absent.body);
  }
  assert.equal((await request("GET", "/v2/user", { token: body.bearerToken })).status, 200);
});

test("tokens are listed newest first and page by page", async () => {
  const user = await createUser();
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) ids.unshift((await createToken(user.token, {})).body.token.id);
  const first = await request("GET", "/v6/user/tokens?limit=3", { token: user.token });
  const second = await request("GET", `/v6/user/tokens?limit=3&until=${first.body.pagination.next}`, {
    token: user.token,
  });
  const seen = [...first.body.tokens, ...second.body.tokens].map(({ id }: { id: string }) => id);
  assert.deepEqual(seen.slice(0, 4), ids);
  assert.equal(seen.length, 5);
  assert.equal(second.body.pagination.next, null);
  const newer = await request("GET", `/v6/user/tokens?limit=2&since=${second.body.pagination.prev}`, {
    token: user.token,
  });
  assert.deepEqual(
    newer.body.tokens.map(({ id }: { id: string }) => id),
    ids.slice(1, 3),
  );
});

test("a token limited to a team works for that team and sees nothing else", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const other = await createTeam(user);
  const created = await createToken(user.token, { query: `?slug=${team.slug}` });
  assert.equal(created.status, 200);
  const { token, bearerToken: limited } = created.body;
  assert.equal(token.teamId, team.id);
  assert.deepEqual(token.scopes, [{ type: "team", teamId: team.id, origin: "manual", createdAt: clock.now }]);
  const event = (await readEvents(user.id)).at(-1);
  assert.equal(event?.payload.scope, "team");
  assert.equal(event?.payload.teamId, team.id);

  assert.equal((await request("GET", "/v2/user", { token: limited })).body.user.limited, true);
  assert.equal((await request("GET", "/v1/api-keys", { token: limited })).status, 200);
  assert.equal((await request("GET", `/v1/api-keys?teamId=${other.id}`, { token: limited })).status, 403);

  const list = await request("GET", "/v6/user/tokens", { token: limited });
  assert.deepEqual(
    list.body.tokens.map(({ id }: { id: string }) => id),
    [token.id],
  );
  const unlimited = (await request("GET", "/v5/user/tokens/current", { token: user.token })).body.token.id;
  assert.equal((await request("DELETE", `/v3/user/tokens/${unlimited}`, { token: limited })).status, 404);

  for (const query of ["", `?teamId=${team.id}`]) {
    const refused = await createToken(limited, { query });
    assert.equal(refused.status, 403);
    assert.equal(refused.body.error.message, `To create a token you must be authenticated to scope "${user.username}"`);
  }
  assert.equal((await request("PATCH", "/v2/user", { token: limited, body: { name: "x" } })).status, 403);
  assert.equal((await request("DELETE", "/v1/user", { token: limited })).status, 403);
  assert.equal((await request("DELETE", "/v3/user/tokens/current", { token: limited })).status, 200);
});

test("only a member limits a token to a team", async () => {
  const stranger = await createUser();
  const team = await createTeam(await createUser());
  assert.equal((await createToken(stranger.token, { query: `?teamId=${team.id}` })).status, 404);
  // The administrator sees every team, but a token limited to one would have no role in it.
  const byAdmin = await request("POST", `/v3/user/tokens?teamId=${team.id}`, { body: { name: "x" } });
  assert.equal(byAdmin.status, 403);
  assert.equal(byAdmin.body.error.message, `To create a token you must be authenticated to scope "${team.slug}"`);
});

test("tokens are found by their name, their suffix and their state", async () => {
  const user = await createUser();
  const create = async (name: string, expiresAt: number) =>
    (await createToken(user.token, { name, expiresAt })).body.token;
  const soon = await create("Laptop", clock.now + 100 * HOUR_MS);
  const ended = await create("Old laptop", clock.now + 1_000);
  const late = await create("Server", clock.now + 1_000 * HOUR_MS);
  clock.advance(1_000);
  const find = async (query: string) => {
    const { body, text } = await request("GET", `/v6/user/tokens?${query}`, { token: user.token });
    assert.ok(body.tokens, text);
    const own = [late.id, ended.id, soon.id];
    return body.tokens.map(({ id }: { id: string }) => id).filter((id: string) => own.includes(id));
  };
  assert.deepEqual(await find("search=LAPTOP"), [ended.id, soon.id]);
  assert.deepEqual(await find(`search=${late.suffix}`), [late.id]);
  assert.deepEqual(await find("state=active"), [late.id, soon.id]);
  assert.deepEqual(await find("state=ending"), [soon.id]);
  assert.deepEqual(await find("state=expired"), [ended.id]);
  assert.deepEqual(await find("state=unused&search=laptop"), [ended.id, soon.id]);
  assert.deepEqual(await find(`activeBefore=${late.activeAt}`), []);
  assert.deepEqual(await find(`activeBefore=${late.activeAt + 1}&search=server`), [late.id]);
  const wrong = await request("GET", "/v6/user/tokens?state=suspended", { token: user.token });
  assert.deepEqual([wrong.status, wrong.body.error.field], [400, "query.state"]);
});

test("the last use of a token or key is recorded to the minute, also across a restart", async () => {
  const user = await createUser();
  const created = (await createToken(user.token, {})).body;
  const key = (await createKey(client, user.token)).body;
  const use = () => Promise.all([created.bearerToken, key.value].map((token) => request("GET", "/v2/user", { token })));
  clock.advance(90_000);
  const usedAt = clock.now;
  await use();
  clock.advance(10_000);
  await use();
  await app.close();
  const restarted = await startAnother();
  const activeAt = async (url: string, member: "token" | "apiKey"): Promise<number> => {
    const { body } = await send(restarted, "GET", url, { token: user.token });
    return body[member].activeAt;
  };
  const seen = [
    await activeAt(`/v5/user/tokens/${created.token.id}`, "token"),
    await activeAt(`/v1/api-keys/${key.apiKey.id}`, "apiKey"),
  ];
  for (const at of seen) assert.ok(at >= usedAt && at <= usedAt + 10_000, String(at - usedAt));
  const unused = await Promise.all(
    ["/v6/user/tokens", "/v1/api-keys"].map((path) =>
      send(restarted, "GET", `${path}?state=unused`, { token: user.token }),
    ),
  );
  assert.ok(!unused.some(({ text }) => text.includes(created.token.id) || text.includes(key.apiKey.id)));
});
