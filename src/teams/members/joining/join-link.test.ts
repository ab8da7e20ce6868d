// The team's join link, and how those come back who were removed, were demoted or left.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { TestUser } from "../../../../test/harness/test-app.ts";
import { openTeam } from "../../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../../test/resources/teams.ts";

const api = await startTestApp();
const { createUser, request } = api;

const newTeam = async () => await openTeam(api, await createUser());
const read = async (team: OpenTeam, as = team.owner) =>
  (await request("GET", `/v2/teams/${team.id}`, { token: as.token })).body;
const patch = (team: OpenTeam, body: unknown, headers = {}) =>
  request("PATCH", `/v2/teams/${team.id}`, { token: team.owner.token, body, headers });
const codeOf = async (team: OpenTeam) => (await read(team)).inviteCode as string;
const reveal = async (team: OpenTeam, { token }: TestUser) =>
  (await request("GET", `/v3/secrets/s?decrypt=true&teamId=${team.id}`, { token })).status;
/** Both ways to join by a code: the one that names no team, and the one whose path does. */
const JOIN_WAYS: ((team: OpenTeam, user: TestUser, code: string) => ReturnType<OpenTeam["join"]>)[] = [
  (team, user, code) => team.join(user, code),
  (team, { token }, inviteCode) =>
    request("POST", `/v1/teams/${team.id}/members/teams/join`, { token, body: { inviteCode } }),
];

async function assertAsks(team: OpenTeam, user: TestUser, code: string, text: string): Promise<void> {
  const asked = await team.join(user, code);
  assert.equal(asked.status, 200, `${text}: ${asked.text}`);
  assert.equal(asked.body.confirmed, false, text);
  assert.equal(typeof asked.body.accessRequestedAt, "number", text);
  assert.equal((await team.find(user)).confirmed, false, text);
  assert.equal((await team.lastEvent()).type, "team-member-request-access", text);
  assert.equal((await request("GET", `/v2/teams/${team.id}/members`, { token: user.token })).status, 404, text);
}

test("the join link admits people as VIEWER unless the team chooses another role", async () => {
  const team = await newTeam();
  await request("POST", `/v3/secrets?teamId=${team.id}`, {
    token: team.owner.token,
    body: { name: "s", value: "v", decryptable: true },
  });
  const [first, second] = [await createUser(), await createUser()];
  const { inviteCode, inviteCodeRole, inviteCodeEnabled } = await read(team);
  assert.deepEqual([inviteCodeRole, inviteCodeEnabled], ["VIEWER", true]);
  const joined = await team.join(first, inviteCode);
  assert.deepEqual([joined.body.from, joined.body.confirmed], ["link", undefined]);
  assert.equal((await team.find(first)).role, "VIEWER");
  assert.equal(await reveal(team, first), 403);

  const chosen = await patch(team, { inviteCodeRole: "DEVELOPER" });
  assert.equal(chosen.body.inviteCodeRole, "DEVELOPER", chosen.text);
  assert.deepEqual((await team.lastEvent()).next, { inviteCodeRole: "DEVELOPER" });
  await team.join(second, inviteCode);
  assert.equal((await team.find(second)).role, "DEVELOPER");
  assert.equal((await patch(team, { inviteCodeRole: "OWNER" })).status, 400, "a link has no end");
});

test("a new team chooses its join link's role, and whether there is one", async () => {
  const owner = await createUser();
  const create = (body: object) => request("POST", "/v1/teams", { token: owner.token, body });
  const chosen = await create({ slug: `link-${owner.username}`, inviteCodeRole: "MEMBER", inviteCodeEnabled: false });
  assert.deepEqual([chosen.body.inviteCodeRole, chosen.body.inviteCodeEnabled], ["MEMBER", false], chosen.text);
  const refused = await request("POST", "/v1/teams/join", {
    token: (await createUser()).token,
    body: { inviteCode: chosen.body.inviteCode },
  });
  assert.equal(refused.body.error.code, "invite_revoked");
  assert.equal((await create({ slug: `more-${owner.username}`, inviteCodeRole: "OWNER" })).status, 400);
});

test("a link that is switched off admits nobody, and a new code switches it on again", async () => {
  const team = await newTeam();
  const code = await codeOf(team);
  assert.equal((await patch(team, { inviteCodeEnabled: false })).body.inviteCodeEnabled, false);
  const refused = await team.join(await createUser(), code);
  assert.deepEqual([refused.status, refused.body.error.code], [400, "invite_revoked"]);
  const renewed = await patch(team, { regenerateInviteCode: true });
  assert.equal(renewed.body.inviteCodeEnabled, true);
  assert.notEqual(renewed.body.inviteCode, code);
  assert.equal((await team.join(await createUser(), code)).body.error.code, "invite_unknown");
  assert.equal((await team.join(await createUser(), renewed.body.inviteCode)).status, 200);
  const both = await patch(team, { regenerateInviteCode: true, inviteCodeEnabled: false });
  assert.equal(both.body.inviteCodeEnabled, false, "what is asked for by name counts");
});

test("clients with closed schemas receive no member of the link that they do not know", async () => {
  const team = await newTeam();
  const headers = { "user-agent": "speakeasy-sdk/typescript 1.28.35 2.937.18 0.0.1 @vercel/sdk" };
  const { token } = team.owner;
  const responses = [
    (await request("GET", `/v2/teams/${team.id}`, { token, headers })).body,
    (await request("GET", "/v2/teams", { token, headers })).body.teams[0],
    (await patch(team, { name: "Other" }, headers)).body,
    (await request("POST", "/v1/teams", { token, headers, body: { slug: `sdk-${team.slug}` } })).body,
  ];
  for (const body of responses) {
    assert.equal(typeof body.inviteCode, "string");
    assert.deepEqual(
      Object.keys(body).filter((name) => name.startsWith("inviteCode")),
      ["inviteCode"],
    );
  }
});

test("the code is renewed when an OWNER is removed, demoted, leaves or is deleted, and not otherwise", async () => {
  const team = await newTeam();
  const remove = (user: TestUser) => request("DELETE", `/v1/users/${user.id}`);
  const cases: [string, string, (user: TestUser) => Promise<{ readonly status: number }>, boolean][] = [
    ["an OWNER is removed", "OWNER", (user) => team.remove(user), true],
    ["an OWNER leaves", "OWNER", (user) => team.remove(user, user), true],
    ["an OWNER is demoted", "OWNER", (user) => team.change(user, { role: "MEMBER" }), true],
    ["an OWNER's account is deleted", "OWNER", remove, true],
    ["a MEMBER is removed", "MEMBER", (user) => team.remove(user), false],
    ["a MEMBER is promoted", "MEMBER", (user) => team.change(user, { role: "OWNER" }), false],
  ];
  for (const [text, role, act, isRenewed] of cases) {
    const user = await createUser();
    await team.add(user, role);
    const code = await codeOf(team);
    assert.ok((await act(user)).status < 300, text);
    assert.equal((await codeOf(team)) !== code, isRenewed, text);
    if (isRenewed) assert.equal((await team.lastEvent()).type, "team-invite-code-reset", text);
  }
  const last = await createUser();
  await team.add(last, "OWNER");
  await patch(team, { inviteCodeEnabled: false });
  await team.remove(last);
  assert.equal((await read(team)).inviteCodeEnabled, false, "renewing does not switch it on");
});

test("the link is shown to members who may invite, and neither to administrators nor to the team's keys", async () => {
  const team = await newTeam();
  const keyed = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: team.owner.token,
    body: { name: "k", role: "OWNER" },
  });
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  await request("PATCH", `/v1/users/${viewer.id}`, { body: { admin: true } });
  for (const token of [api.admin.token, viewer.token, keyed.body.value as string]) {
    const shown = await request("GET", `/v2/teams/${team.id}`, { token });
    assert.equal(shown.body.slug, team.slug, shown.text);
    assert.equal("inviteCode" in shown.body, false);
    const changed = await request("PATCH", `/v2/teams/${team.id}`, { token, body: { regenerateInviteCode: true } });
    assert.equal(changed.status, 200, changed.text);
    assert.equal("inviteCode" in changed.body, false);
  }
  assert.equal(typeof (await codeOf(team)), "string");
});

test("a removed member who uses a link or a code only requests access", async () => {
  const team = await newTeam();
  const { body } = await request("POST", `/v1/teams/${team.id}/invites`, { token: team.owner.token, body: {} });
  for (const code of [await codeOf(team), body.code as string]) {
    const user = await createUser();
    await team.add(user, "MEMBER");
    await team.remove(user);
    await assertAsks(team, user, code, "removed");
    for (const join of JOIN_WAYS) {
      assert.equal((await join(team, user, code)).body.error.code, "already_requested");
    }
    await team.remove(user);
    for (const join of JOIN_WAYS) {
      assert.equal((await join(team, user, code)).body.error.code, "request_declined", "asking has its pause");
    }
    api.clock.advance(25 * 3_600_000);
    await assertAsks(team, user, code, "declined, and a day later");
    assert.equal((await team.change(user, { confirmed: true, role: "VIEWER" })).status, 200);
    await team.remove(user, user);
    assert.equal((await team.join(user, await codeOf(team))).body.from, "link");
    assert.equal((await team.find(user)).confirmed, true, "let in again, and left as VIEWER");
  }
  const { invites } = (await request("GET", `/v1/teams/${team.id}/invites`, { token: team.owner.token })).body;
  const { uses } = invites.find(({ kind }: { kind: string }) => kind === "code");
  assert.equal(uses, 0, "asking uses no code up");
});

test("an OWNER's invitation readmits a removed member with the role of the invitation", async () => {
  const team = await newTeam();
  const [removed, declined] = [await createUser(), await createUser()];
  const code = (await request("POST", `/v1/teams/${team.id}/invites`, { token: team.owner.token, body: {} })).body.code;
  for (const user of [removed, declined]) {
    await team.add(user, "MEMBER");
    await team.remove(user);
    await team.invite({ email: user.email, role: "VIEWER" });
    for (const join of JOIN_WAYS) {
      assert.equal((await join(team, user, code)).body.error.code, "already_invited", "the code gives more");
    }
  }
  assert.equal((await team.join(removed)).status, 200);
  const { role, confirmed } = await team.find(removed);
  assert.deepEqual([role, confirmed], ["VIEWER", true]);
  await team.remove(declined, declined);
  await assertAsks(team, declined, code, "who declines was removed all the same");
});

test("leaving undoes no demotion: a code grants no more than the member had", async () => {
  const team = await newTeam();
  const { body } = await request("POST", `/v1/teams/${team.id}/invites`, {
    token: team.owner.token,
    body: { role: "MEMBER" },
  });
  const user = await createUser();
  await team.add(user, "MEMBER");
  await team.change(user, { role: "VIEWER" });
  await team.remove(user, user);
  await assertAsks(team, user, body.code, "MEMBER is more than VIEWER");
  assert.equal((await team.remove(user, user)).status, 200);
  assert.equal((await team.join(user, await codeOf(team))).status, 200);
  assert.equal((await team.find(user)).confirmed, true, "VIEWER is not");
});
