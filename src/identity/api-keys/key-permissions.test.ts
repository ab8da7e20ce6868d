// API keys that list permissions: they may do less than their role, and hand out no more than that.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, createTeamKey } from "../../../test/resources/api-keys.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import { openFirewall } from "../../../test/resources/firewalls.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import { ROLE_PERMISSIONS } from "../../platform/kernel/roles.ts";
import type { Permission } from "../../platform/kernel/roles.ts";

const client = await startTestApp();
const { request, clock, createUser, readEvents } = client;

const GATE: readonly Permission[] = ["gate:connect"];

const report = (token: string, scope = "") =>
  request("POST", `/v1/firewalls/traffic${scope === "" ? "?" : `${scope}&`}projectId=shop`, {
    token,
    body: { counts: [{ at: clock.now, host: "shop.example.com", action: "deny", count: 1 }] },
  });

test("a gate's key reports traffic, and is refused everything else that its role may", async () => {
  const user = await createUser();
  const { scope, team, value } = await createTeamKey(client, user, { permissions: GATE });
  const unknown = await report(value);
  assert.deepEqual([unknown.status, unknown.body.error?.code], [404, "not_found"]);
  assert.deepEqual((await request("GET", `/v1/projects${scope}`, { token: user.token })).body.projects, []);
  // A report begins no project, no matter who sends it; a change of its firewall does.
  assert.equal((await report(user.token, scope)).status, 404);
  await openFirewall(client, user.token, "shop", team.id).set();
  const reported = await report(value);
  assert.equal(reported.status, 200, reported.text);
  const paths = [
    ["GET", "/v1/api-keys", "api-key:read"],
    ["GET", "/v2/secrets", "secret:read"],
    ["GET", "/v3/events", "event:read"],
    ["GET", "/v1/webhooks", "webhook:read"],
    ["GET", "/v1/security/firewall/events?projectId=shop", "firewall:read"],
    ["GET", "/v1/firewalls/active?projectId=shop", "firewall:read"],
    ["DELETE", "/v1/firewalls/draft?projectId=shop", "firewall:write"],
  ] as const;
  for (const [method, path, permission] of paths) {
    const { status, body } = await request(method, path, { token: value });
    assert.equal(status, 403, path);
    assert.ok(body.error.message.startsWith(`Not authorized: this needs the permission ${permission}; `));
  }
});

test("a key for webhooks needs to read events too, which these are sent and show", async () => {
  const user = await createUser();
  const webhooks: readonly Permission[] = ["webhook:read", "webhook:write"];
  const blind = await createTeamKey(client, user, { permissions: webhooks });
  assert.match(blind.apiKey.allows, /^It may do nothing\. Of no use so: webhook:read, webhook:write\./);
  const seeing = (await createKey(client, user.token, blind.scope, { permissions: [...webhooks, "event:read"] })).body;
  assert.match(
    seeing.allows,
    /^It may see events, see webhooks and what they were sent and make and change webhooks, which are sent events, and/,
  );
  const body = { url: "https://hooks.example.com/reeve", events: ["secret-add"] };
  const create = (token: string) => request("POST", "/v1/webhooks", { token, body });
  const { id } = (await create(seeing.value)).body;
  const limited = (await createKey(client, user.token, blind.scope, { role: "OWNER", names: ["SHOP_*"] })).body.value;
  for (const [method, path] of [
    ["GET", "/v1/webhooks"],
    ["GET", `/v1/webhooks/${id}`],
    ["PATCH", `/v1/webhooks/${id}`],
    ["GET", `/v1/webhooks/${id}/deliveries`],
    ["GET", "/v1/webhook-deliveries"],
    ["POST", `/v1/webhooks/${id}/replay`],
    ["POST", "/v1/webhooks"],
  ] as const) {
    const given = method === "GET" ? {} : { body: path.endsWith("replay") ? {} : body };
    const refused = await request(method, path, { token: blind.value, ...given });
    assert.equal(refused.status, 403, path);
    assert.match(refused.body.error.message, /^Not authorized: this needs the permission event:read; /);
    const outside = await request(method, path, { token: limited, ...given });
    assert.deepEqual([outside.status, outside.body.error.limitedTo], [403, "name"], path);
    assert.notEqual((await request(method, path, { token: seeing.value, ...given })).status, 403, path);
  }
});

test("a role without the permission of gates reports no traffic", async () => {
  const { scope, value } = await createTeamKey(client, await createUser(), { role: "DEVELOPER" });
  const refused = await report(value, scope);
  assert.equal(refused.status, 403);
  assert.match(refused.body.error.message, /gate:connect/);
});

test("a key's permissions are shown in their order wherever the key is, and survive a rotation", async () => {
  const user = await createUser();
  const permissions = ["secret:read", "team:read", "api-key:read"];
  const ordered = ["team:read", "api-key:read", "secret:read"];
  const { team, scope, apiKey, value } = await createTeamKey(client, user, { role: "MEMBER", permissions });
  assert.deepEqual(apiKey.permissions, ordered);
  assert.deepEqual((await readEvents(team.id)).at(-1)?.next, {
    name: "deploy",
    role: "MEMBER",
    permissions: ordered,
    projects: null,
    environments: null,
    names: null,
    expiresAt: null,
    allowedCidrs: [],
  });
  const one = await request("GET", `/v1/api-keys/${apiKey.id}`, { token: value });
  assert.deepEqual(one.body.apiKey, apiKey);
  assert.deepEqual((await request("GET", "/v1/api-keys", { token: value })).body.apiKeys, [apiKey]);
  const rotated = await request("POST", `/v1/api-keys/${apiKey.id}/rotate${scope}`, { token: user.token });
  assert.deepEqual(rotated.body.apiKey.permissions, ordered);
  assert.equal((await request("GET", "/v2/secrets", { token: rotated.body.value })).status, 200);
  assert.equal((await request("GET", "/v3/events", { token: rotated.body.value })).status, 403);
});

test("permissions that are unknown, repeated, none at all or not the role's are refused by field", async () => {
  const user = await createUser();
  const cases: [object, string, RegExp][] = [
    [{ permissions: ["secret:read", "secret:steal"] }, "body.permissions[1]", /expected/],
    [{ permissions: ["secret:read", "secret:read"] }, "body.permissions", /expected/],
    [{ permissions: [] }, "body.permissions", /expected/],
    [{ permissions: "secret:read" }, "body.permissions", /expected/],
    [
      { role: "VIEWER", permissions: ["secret:read", "gate:connect"] },
      "body.permissions[1]",
      /: expected a permission of the role VIEWER: team:read, .*, secret:read, environment:read; got gate:connect, which is of OWNER, MEMBER, SECURITY$/,
    ],
  ];
  for (const [body, field, message] of cases) {
    const refused = await createKey(client, user.token, "", body);
    assert.equal(refused.status, 400, JSON.stringify(body));
    assert.equal(refused.body.error.field, field);
    assert.match(refused.body.error.message, message);
  }
});

test("a key that lists permissions creates, rotates and deletes no key that may do more than it", async () => {
  const user = await createUser();
  const { scope, apiKey: whole } = await createTeamKey(client, user, { role: "MEMBER" });
  const permissions = ["api-key:read", "api-key:manage", "secret:read"];
  const bounded = (await createKey(client, user.token, scope, { role: "MEMBER", permissions })).body;
  const refusals = [
    await createKey(client, bounded.value, "", { role: "MEMBER" }),
    await createKey(client, bounded.value, "", { role: "MEMBER", permissions: ["secret:read", "secret:write"] }),
    await createKey(client, bounded.value, "", { role: "VIEWER" }),
    await request("POST", `/v1/api-keys/${whole.id}/rotate`, { token: bounded.value }),
    await request("DELETE", `/v1/api-keys/${whole.id}`, { token: bounded.value }),
  ];
  for (const { status, body, text } of refusals) {
    assert.equal(status, 403, text);
    assert.equal(body.error.code, "role_exceeds_creator");
  }
  assert.match(
    refusals[1]?.body.error.message,
    /: a key with these permissions of the role MEMBER may do more than you/,
  );
  // What counts is what the key may do, not what its role may.
  const child = await createKey(client, bounded.value, "", { role: "OWNER", permissions: ["secret:read"] });
  assert.equal(child.status, 200, child.text);
  const token = bounded.value;
  assert.equal((await request("DELETE", `/v1/api-keys/${child.body.apiKey.id}`, { token })).status, 200);
  assert.equal((await request("POST", `/v1/api-keys/${bounded.apiKey.id}/rotate`, { token })).status, 200);
});

test("a key of an account is bounded in the account and in its user's teams", async () => {
  const user = await createUser();
  const team = await client.createTeam(user);
  const { value } = (await createKey(client, user.token, "", { permissions: GATE })).body;
  for (const [scope, teamId] of [
    ["", undefined],
    [`?teamId=${team.id}`, team.id],
  ] as const) {
    await openFirewall(client, user.token, "shop", teamId).set();
    assert.equal((await report(value, scope)).status, 200);
    assert.equal((await request("GET", `/v1/api-keys${scope}`, { token: value })).status, 403);
  }
  const created = await request("POST", "/v1/teams", { token: value, body: { slug: "never" } });
  assert.equal(created.status, 403);
  // A list is for what it names, be it everything: only a key of the whole role acts for its user.
  const all = (await createKey(client, user.token, "", { permissions: ROLE_PERMISSIONS.OWNER })).body.value;
  const whole = (await createKey(client, user.token)).body.value;
  const slug = `all-${clock.now}`;
  for (const [token, status] of [
    [all, 403],
    [whole, 200],
  ] as const) {
    assert.equal((await request("POST", "/v1/teams", { token, body: { slug } })).status, status);
    assert.equal((await request("GET", "/v2/user", { token })).status, status);
  }
});

test("a key that lists permissions is suspended when the person who answers for it loses one of those, not others", async () => {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const carol = await createUser();
  await team.add(carol, "MEMBER");
  const scope = `?teamId=${team.id}`;
  const make = async (permissions?: readonly Permission[]) =>
    (await createKey(client, carol.token, scope, { role: "MEMBER", ...(permissions && { permissions }) })).body;
  const gate = await make(GATE);
  const mixed = await make(["gate:connect", "secret:write"]);
  const whole = await make();
  const path = `/v1/teams/${team.id}/members/${carol.id}`;
  const isSuspended = async ({ apiKey: { id } }: { apiKey: { id: string } }) =>
    (await request("GET", `/v1/api-keys/${id}${scope}`, { token: owner.token })).body.apiKey.suspendedAt !== null;
  // An overlap ends with the loss just as a key does, and no other overlap.
  const rotate = async ({ apiKey: { id } }: { apiKey: { id: string } }) => {
    const rotated = await request("POST", `/v1/api-keys/${id}/rotate${scope}`, {
      token: owner.token,
      body: { overlapMs: 60_000 },
    });
    assert.equal(rotated.status, 200, rotated.text);
  };
  const [keptOverlap, endedOverlap] = [await make(GATE), await make(["gate:connect", "secret:write"])];
  await rotate(keptOverlap);
  await rotate(endedOverlap);

  const demoted = await request("PATCH", path, { token: owner.token, body: { role: "SECURITY" } });
  assert.equal(demoted.status, 200, demoted.text);
  assert.deepEqual([await isSuspended(gate), await isSuspended(mixed), await isSuspended(whole)], [false, true, true]);
  const event = (await readEvents(team.id)).findLast(({ type }) => type === "api-keys-suspended");
  assert.equal(event?.payload.count, 2);
  await openFirewall(client, owner.token, "shop", team.id).set();
  assert.equal((await report(gate.value)).status, 200);
  assert.equal((await report(keptOverlap.value)).status, 200);
  assert.equal((await report(endedOverlap.value)).status, 401);
  const adopted = await request("POST", `/v1/api-keys/${mixed.apiKey.id}/adopt${scope}`, { token: owner.token });
  assert.deepEqual(adopted.body.apiKey.permissions, ["secret:write", "gate:connect"]);

  await request("PATCH", path, { token: owner.token, body: { role: "VIEWER" } });
  assert.equal((await report(gate.value)).status, 401);
});
