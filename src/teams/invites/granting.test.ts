// Who hands out a role by an invitation, the join link or a change of a member: nobody one with more permissions than their own, and a
// credential that ends or works from some networks none without these bounds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse } from "../../../test/harness/test-app.ts";
import { boundedKeys, keyWith } from "../../../test/resources/bounded-credentials.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";
import { ROLE_PERMISSIONS } from "../../platform/kernel/roles.ts";
import type { Permission } from "../../platform/kernel/roles.ts";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { createUser, request, clock } = api;

const newTeam = async () => await openTeam(api, await createUser());
const outcome = ({ status, body }: TestResponse) => [status, body.error?.code, body.error?.field];
const REFUSED = [403, "forbidden"];
const isRefused = (response: TestResponse, what: string) =>
  assert.deepEqual(outcome(response).slice(0, 2), REFUSED, `${what}: ${response.text}`);

const createInvite = (team: OpenTeam, token: string, body: object) =>
  request("POST", `/v1/teams/${team.id}/invites`, { token, body });
const resend = (team: OpenTeam, token: string, id: string) =>
  request("POST", `/v1/teams/${team.id}/invites/${id}/resend`, { token });
const patchTeam = (team: OpenTeam, token: string, body: object) =>
  request("PATCH", `/v2/teams/${team.id}`, { token, body });
const invitesOf = async (team: OpenTeam) =>
  await api.query(`select id, code_hash, expires_at, revoked_at from invites where team_id = '${team.id}' order by id`);

test("an invitation is renewed only by a caller who may grant its role, and an expired one lives again only so", async () => {
  const team = await newTeam();
  const { invite } = (await createInvite(team, team.owner.token, { role: "OWNER" })).body;
  const viewers = (await createInvite(team, team.owner.token, { role: "VIEWER" })).body.invite;
  const narrow = await keyWith(api, team.owner, team, ["invite:manage"]);
  const wider = await keyWith(api, team.owner, team, ["invite:manage", ...ROLE_PERMISSIONS.VIEWER]);
  clock.advance(8 * DAY_MS);
  const before = await invitesOf(team);
  isRefused(await resend(team, narrow, invite.id), "nothing but invite:manage");
  isRefused(await resend(team, narrow, viewers.id), "not even for VIEWER");
  isRefused(await resend(team, wider, invite.id), "what a VIEWER may, for OWNER");
  assert.deepEqual(await invitesOf(team), before);
  const renewed = await resend(team, wider, viewers.id);
  assert.deepEqual([renewed.status, renewed.body.invite.status], [200, "active"]);
});

test("the join link is shown, renewed and switched on only by a caller who may grant its role", async () => {
  const team = await newTeam();
  const { owner } = team;
  const tokenWith = async (wanted: readonly Permission[]): Promise<string> => {
    const body = { name: "n", permissions: [...new Set(wanted)] };
    const made = await request("POST", `/v3/user/tokens?teamId=${team.id}`, { token: owner.token, body });
    assert.equal(made.status, 200, made.text);
    return made.body.bearerToken;
  };
  await patchTeam(team, owner.token, { inviteCodeRole: "MEMBER", inviteCodeEnabled: true });
  const read = async (token: string) => (await request("GET", `/v2/teams/${team.id}`, { token })).body;
  const { inviteCode } = await read(owner.token);
  assert.match(inviteCode, /^[0-9a-f]{40}$/);
  const few = await tokenWith(["team:read", "invite:manage"]);
  const enough = await tokenWith(["team:read", "invite:manage", ...ROLE_PERMISSIONS.MEMBER]);
  assert.equal("inviteCode" in (await read(few)), false);
  assert.equal((await read(enough)).inviteCode, inviteCode);
  const listed = await request("GET", "/v2/teams", { token: few });
  assert.ok(!listed.text.includes(inviteCode));

  await patchTeam(team, owner.token, { inviteCodeEnabled: false });
  const updating = await keyWith(api, owner, team, ["team:update"]);
  const granting = await keyWith(api, owner, team, ["team:update", ...ROLE_PERMISSIONS.MEMBER]);
  for (const key of [updating, granting]) {
    isRefused(await patchTeam(team, key, { inviteCodeEnabled: true }), "without invite:manage");
    isRefused(await patchTeam(team, key, { regenerateInviteCode: true }), "without invite:manage");
    isRefused(await patchTeam(team, key, { inviteCodeRole: "VIEWER" }), "without invite:manage");
  }
  const inviting = await keyWith(api, owner, team, ["team:update", "invite:manage"]);
  isRefused(await patchTeam(team, inviting, { inviteCodeEnabled: true }), "a role with more permissions");
  assert.equal((await patchTeam(team, updating, { description: "It still changes the team." })).status, 200);
  const both = await keyWith(api, owner, team, ["team:update", "invite:manage", ...ROLE_PERMISSIONS.MEMBER]);
  assert.equal((await patchTeam(team, both, { inviteCodeEnabled: true })).status, 200);
  assert.equal((await patchTeam(team, updating, { inviteCodeEnabled: false })).status, 200, "off is not handed out");
  const after = await read(owner.token);
  assert.deepEqual([after.inviteCodeEnabled, after.inviteCodeRole], [false, "MEMBER"]);
});

test("a credential with an end or with networks invites nobody: the membership would have neither", async () => {
  const team = await newTeam();
  const { owner } = team;
  const guest = await createUser();
  const { invite } = (await createInvite(team, owner.token, { role: "VIEWER" })).body;
  const tokenOf = async (limits: object, query = "") => {
    const body = { name: "login", ...limits };
    const made = await request("POST", `/v3/user/tokens${query}`, { token: owner.token, body });
    assert.equal(made.status, 200, made.text);
    return made.body.bearerToken as string;
  };
  const end = clock.now + 30 * DAY_MS;
  const credentials = [
    ...(await boundedKeys(api, owner, team)),
    { bound: "of a login", key: await tokenOf({ expiresAt: end }) },
    { bound: "of a team's login", key: await tokenOf({ expiresAt: end }, `?teamId=${team.id}`) },
    { bound: "of a person's network", key: await tokenOf({ allowedCidrs: ["127.0.0.0/8"] }) },
  ];
  const before = await invitesOf(team);
  for (const { bound, key } of credentials) {
    const members = (body: object) => request("POST", `/v1/teams/${team.id}/members`, { token: key, body });
    const email = `${owner.username}-guest@example.com`;
    isRefused(await createInvite(team, key, { role: "VIEWER" }), `a code by a credential ${bound}`);
    isRefused(await createInvite(team, key, { role: "OWNER", expiresAt: clock.now + 1 }), `a short code, ${bound}`);
    isRefused(await resend(team, key, invite.id), `a renewed code, ${bound}`);
    isRefused(await members({ email, role: "OWNER" }), `an address, ${bound}`);
    isRefused(await members([{ uid: guest.id, role: "VIEWER" }]), `an account, ${bound}`);
  }
  assert.deepEqual(await invitesOf(team), before, "nothing is left behind");
  const { body } = await createInvite(team, await tokenOf({ expiresAt: end }), { role: "VIEWER" });
  assert.match(body.error.message, new RegExp(`expires at ${new Date(end).toISOString()}, .* use the console, or `));
  assert.equal((await createInvite(team, await tokenOf({}), { role: "OWNER" })).status, 200, "without an end");
});

test("a credential with an end or with networks hands out no access that can't have them", async () => {
  const team = await newTeam();
  const { owner } = team;
  const [viewer, asking] = [await createUser(), await createUser()];
  await team.add(viewer, "VIEWER");
  await team.ask(asking);
  await patchTeam(team, owner.token, { inviteCodeEnabled: false });
  const free = (
    await request("POST", `/v1/api-keys?teamId=${team.id}`, {
      token: owner.token,
      body: { name: "free", role: "VIEWER" },
    })
  ).body.apiKey;
  await api.query(`update api_keys set suspended_at = ${clock.now} where id = '${free.id}'`);
  const member = `/v1/teams/${team.id}/members/${viewer.id}`;
  for (const { bound, key } of await boundedKeys(api, owner, team)) {
    const send = (method: string, path: string, body?: object) =>
      request(method, path, { token: key, ...(body && { body }) });
    isRefused(await send("PATCH", member, { role: "OWNER" }), `a role by a key ${bound}`);
    const confirm = { confirmed: true, role: "VIEWER" };
    isRefused(await send("PATCH", `/v1/teams/${team.id}/members/${asking.id}`, confirm), `a request by a key ${bound}`);
    isRefused(await send("PATCH", `/v2/teams/${team.id}`, { inviteCodeEnabled: true }), `the link by a key ${bound}`);
    isRefused(await send("PATCH", `/v2/teams/${team.id}`, { regenerateInviteCode: true }), `a link by a key ${bound}`);
    isRefused(await send("POST", `/v1/api-keys/${free.id}/adopt`), `a key without bounds by a key ${bound}`);
  }
  assert.equal((await team.find(viewer)).role, "VIEWER");
  assert.equal((await team.find(asking)).confirmed, false);
  const [, { key: ofNetwork }] = (await boundedKeys(api, owner, team)) as [unknown, { key: string }];
  await team.change(viewer, { role: "OWNER" });
  assert.equal((await request("PATCH", member, { token: ofNetwork, body: { role: "VIEWER" } })).status, 200, "less");
});
