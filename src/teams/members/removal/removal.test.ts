import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import { openTeam } from "../../../../test/resources/teams.ts";
import { HOUR_MS } from "../../../platform/kernel/scheduling/clock.ts";

const api = await startTestApp();
const { createUser, createTeam, request, clock } = api;

async function openTeamOfTwo(role = "MEMBER") {
  const [owner, member] = [await createUser(), await createUser()];
  const team = await openTeam(api, owner);
  await team.add(member, role);
  return { team, owner, member };
}

test("an owner removes a member, who then has no access", async () => {
  const { team, member } = await openTeamOfTwo();
  const { username, email, id } = member;
  assert.deepEqual((await team.remove(member)).body, { id: team.id });
  assert.deepEqual(await team.lastEvent(), {
    type: "team-member-delete",
    payload: { deletedUid: id, deletedUser: { username, email }, role: "MEMBER" },
    previous: { state: "member", role: "MEMBER", teamPermissions: [], projects: [] },
    next: null,
  });
  assert.equal((await request("GET", `/v2/teams/${team.id}/members`, { token: member.token })).status, 404);
  assert.equal((await team.remove(member)).body.error.code, "member_not_found");
});

test("a member leaves without any permission, and chooses the next default team", async () => {
  const { team, owner, member } = await openTeamOfTwo("VIEWER");
  const other = await createTeam(member);
  await request("PATCH", "/v2/user", { token: member.token, body: { defaultTeamId: team.id } });
  const url = `/v1/teams/${team.id}/members/${member.id}`;
  // An administrator sees all teams.
  await request("PATCH", `/v1/users/${member.id}`, { body: { admin: true } });
  for (const wrong of [team.id, (await createTeam(owner)).id, "no-team"]) {
    const refused = await request("DELETE", `${url}?newDefaultTeamId=${wrong}`, { token: member.token });
    assert.equal(refused.body.error.code, "default_team_not_member", wrong);
  }
  await request("PATCH", `/v1/users/${member.id}`, { body: { admin: false } });
  const left = await request("DELETE", `${url}?newDefaultTeamId=${other.id}`, { token: member.token });
  assert.deepEqual(left.body, { id: team.id });
  assert.equal((await team.lastEvent()).type, "team-member-leave");
  assert.equal((await request("GET", "/v2/user", { token: member.token })).body.user.defaultTeamId, other.id);
  assert.equal((await request("DELETE", url, { token: member.token })).status, 404);
  // An administrator sees the team, but has no membership to end.
  await request("PATCH", `/v1/users/${member.id}`, { body: { admin: true } });
  assert.equal((await request("DELETE", url, { token: member.token })).body.error.code, "member_not_found");
  await request("PATCH", `/v1/users/${member.id}`, { body: { admin: false } });

  await team.add(member);
  await request("PATCH", "/v2/user", { token: member.token, body: { defaultTeamId: team.id } });
  await team.remove(member, owner);
  assert.equal((await request("GET", "/v2/user", { token: member.token })).body.user.defaultTeamId, null);
});

test("the last confirmed OWNER cannot be removed by anybody", async () => {
  const { team, owner, member } = await openTeamOfTwo();
  const invited = await createUser();
  await team.invite({ uid: invited.id, role: "OWNER" });
  assert.equal((await team.remove(owner)).body.error.code, "last_owner");
  assert.equal((await team.remove(owner, api.admin)).body.error.code, "last_owner");
  await team.change(member, { role: "OWNER" });
  await request("PATCH", `/v1/users/${member.id}`, { body: { suspended: true } });
  assert.equal((await team.remove(owner)).body.error.code, "last_owner", "a suspended OWNER can't act");
  await request("PATCH", `/v1/users/${member.id}`, { body: { suspended: false } });
  assert.equal((await team.remove(owner)).status, 200);
});

test("a member who is no OWNER leaves a team whose only OWNER is suspended", async () => {
  const { team, owner, member } = await openTeamOfTwo("VIEWER");
  await request("PATCH", `/v1/users/${owner.id}`, { body: { suspended: true } });
  const left = await team.remove(member, member);
  assert.equal(left.status, 200, left.text);
});

test("the join link of a team stays when a request to be its OWNER is withdrawn", async () => {
  const { team, owner, member } = await openTeamOfTwo();
  const path = `/v1/teams/${team.id}/invites`;
  const { code } = (await request("POST", path, { token: owner.token, body: { role: "OWNER" } })).body;
  await team.remove(member);
  // Somebody who was removed asks with it, and does not join.
  assert.equal((await team.join(member, code)).body.confirmed, false);
  assert.equal((await team.remove(member, member)).status, 200);
  assert.equal((await team.lastEvent()).type, "team-member-decline-request");
});

test("an invitation is withdrawn by an owner, or declined by the invited person", async () => {
  const { team, member } = await openTeamOfTwo();
  const invited = await createUser();
  for (const [by, reason] of [
    [team.owner, "invitation withdrawn"],
    [invited, "invitation declined"],
  ] as const) {
    await team.invite({ uid: invited.id, role: "VIEWER" });
    assert.equal((await team.remove(invited, member)).body.error.code, "forbidden");
    assert.equal((await team.remove(invited, by)).status, 200);
    const { type, payload } = await team.lastEvent();
    assert.deepEqual([type, payload.role, payload.reason], ["team-member-delete", "VIEWER", reason]);
    assert.equal((await team.join(invited)).body.error.code, "not_invited");
  }
});

test("a request is declined by an owner, or withdrawn by its author", async () => {
  const { team } = await openTeamOfTwo();
  const asking = await createUser();
  const teamName = await team.rename();
  await team.ask(asking);
  assert.equal((await team.remove(asking, asking)).status, 200);
  const { type, payload } = await team.lastEvent();
  assert.equal(type, "team-member-decline-request");
  assert.deepEqual(payload, {
    teamName,
    teamId: team.id,
    username: asking.username,
    updatedUid: asking.id,
  });
  const again = await team.ask(asking);
  assert.equal(again.body.error.code, "request_declined", "each request is told to the owners, so there is a pause");
  assert.equal(again.headers["retry-after"], "3600");
  clock.advance(HOUR_MS);
  assert.equal((await team.ask(asking)).status, 200);
  assert.equal((await team.remove(asking)).status, 200);
  assert.equal((await team.ask(asking)).body.error.code, "request_declined");
});

test("users who cannot see the team learn nothing, not even about themselves", async () => {
  const { team, owner, member } = await openTeamOfTwo();
  const stranger = await createUser();
  const del = (teamId: string, uid: string) =>
    request("DELETE", `/v1/teams/${teamId}/members/${uid}`, { token: stranger.token });
  const absent = await del("team_absent", owner.id);
  for (const uid of [owner.id, stranger.id, "nobody"]) {
    const response = await del(team.id, uid);
    assert.deepEqual([response.status, response.body], [absent.status, absent.body]);
  }
  assert.equal((await team.remove(owner, member)).body.error.code, "forbidden");
});

test("a team's key removes members; a user's key leaves nothing in its owner's name", async () => {
  const { team, owner, member } = await openTeamOfTwo();
  const body = { name: "key", role: "OWNER" };
  const teamKey = await request("POST", `/v1/api-keys?teamId=${team.id}`, { token: owner.token, body });
  const ownKey = await request("POST", "/v1/api-keys", { token: member.token, body });
  assert.equal(ownKey.status, 200, ownKey.text);
  const url = `/v1/teams/${team.id}/members/${member.id}`;
  const keyOf = (response: typeof teamKey) => ({
    "x-api-key": Object.values(response.body).find((v) => String(v).startsWith("rvk_")) as string,
  });
  const byOwnKey = await request("DELETE", url, { token: null, headers: keyOf(ownKey) });
  assert.equal(byOwnKey.status, 403, byOwnKey.text);
  const byTeamKey = await request("DELETE", url, { token: null, headers: keyOf(teamKey) });
  assert.equal(byTeamKey.status, 200, byTeamKey.text);
  const joining = await request("POST", "/v1/teams/join", {
    token: null,
    headers: keyOf(ownKey),
    body: { teamId: team.id },
  });
  assert.equal(joining.body.error.code, "forbidden");
});
