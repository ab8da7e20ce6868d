import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openTeam } from "../../../test/resources/teams.ts";

const api = await startTestApp();
const { request, createUser, clock } = api;

async function teamOf(owner: TestUser) {
  const team = await openTeam(api, owner);
  return { ...team, path: `/v1/teams/${team.id}/members` };
}

test("an invited account is pending, joins by the team's id or slug, and then is a member", async () => {
  const [owner, guest] = [await createUser(), await createUser()];
  const team = await teamOf(owner);
  const invited = await request("POST", team.path, { token: owner.token, body: { email: guest.email.toUpperCase() } });
  assert.equal(invited.status, 200, invited.text);
  const { uid, code } = invited.body;
  const { email } = guest;
  assert.deepEqual(invited.body, {
    uid,
    username: email,
    email,
    code,
    inviteUrl: `http://localhost:4000/console/invitation?code=${code}`,
    role: "MEMBER",
    teamRoles: ["MEMBER"],
    teamPermissions: [],
  });
  const pending = await team.list(`?filterByUserIds=${uid}&limit=1`);
  assert.equal(pending.members.length, 1);
  assert.deepEqual([pending.members[0].confirmed, pending.members[0].email], [false, email]);
  assert.equal("name" in pending.members[0], false);
  assert.equal("accessRequestedAt" in pending.members[0], false);
  const hidden = await request("GET", `/v2/teams/${team.id}/members`, { token: guest.token });
  assert.equal(hidden.status, 404);

  const name = await team.rename();
  await request("PATCH", "/v2/user", { token: owner.token, body: { name: "Ada" } });
  const joined = await request("POST", "/v1/teams/join", { token: guest.token, body: { teamId: team.slug } });
  assert.deepEqual(joined.body, { teamId: team.id, slug: team.slug, name, from: "mail" });
  const { type, payload, previous, next } = await team.lastEvent();
  assert.deepEqual(
    [type, previous.state, previous.role, next.state, next.role],
    ["team-member-join", "invited", "MEMBER", "member", "MEMBER"],
  );
  assert.deepEqual(payload.invitedBy, { email: owner.email, userId: owner.id, name: "Ada" });
  const again = await request("POST", "/v1/teams/join", { token: guest.token, body: { teamId: team.id } });
  assert.equal(again.body.error.code, "already_member");
  const one = await request("GET", `${team.path}/${guest.id}`, { token: guest.token });
  assert.equal(one.status, 200);
  const { confirmed, confirmedAt, accessRequestedAt } = one.body;
  assert.deepEqual([confirmed, confirmedAt, accessRequestedAt], [true, clock.now, undefined]);
  assert.equal(one.headers["etag"], '"2"');
});

test("members are paged newest first, and filters narrow them", async () => {
  const owner = await createUser();
  const team = await teamOf(owner);
  const people: TestUser[] = [];
  for (let i = 0; i < 5; i++) people.push(await createUser());
  for (const [index, person] of people.entries()) await team.add(person, index % 2 === 0 ? "VIEWER" : "MEMBER");
  const seen: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const { members, pagination } = await team.list(query);
    seen.push(...members.map(({ uid }: { uid: string }) => uid));
    assert.equal(pagination.count, members.length);
    assert.equal(pagination.hasNext, pagination.next !== null);
    if (pagination.next === null) break;
    query = `?limit=2&until=${pagination.next}`;
  }
  assert.deepEqual(seen, [...people.map(({ id }) => id).toReversed(), owner.id]);

  const uids = async (filter: string) => (await team.list(filter)).members.map(({ uid }: { uid: string }) => uid);
  const [first, second, third] = people.map(({ id }) => id);
  assert.deepEqual(await uids("?role=VIEWER"), [people[4]?.id, third, first]);
  assert.deepEqual(await uids(`?filterByUserIds=${first}%2C${second}&filterByUserIds=${third}`), [
    third,
    second,
    first,
  ]);
  assert.deepEqual(await uids(`?filterByUserIds=${first},${second}&role=MEMBER`), [second]);
  assert.deepEqual(await uids(`?search=${people[1]?.username.toUpperCase()}@EX`), [second]);
  assert.deepEqual(await uids(`?search=@ex&filterByUserIds=${first},${second}`), [second, first]);
  assert.deepEqual(await uids(`?search=@ex&filterByUserIds=${first},${second}&role=MEMBER`), [second]);
  assert.deepEqual(await uids("?search=%25"), []);
  const grant = { projects: [{ projectId: "prj_1", role: "ADMIN" }] };
  await request("PATCH", `${team.path}/${first}`, { token: owner.token, body: grant });
  assert.deepEqual(await uids(`?excludeProject=prj_1&role=VIEWER`), [people[4]?.id, third]);
  assert.equal((await uids("?eligibleMembersForProjectId=prj_1")).includes(first), false);
  assert.equal((await uids("?eligibleMembersForProjectId=PRJ_1")).includes(first), true);

  const [asking, other] = [await createUser(), await createUser()];
  for (const one of [asking, other]) assert.equal((await team.ask(one)).status, 200);
  assert.deepEqual(await uids("?accessRequested=true"), [other.id, asking.id]);
  assert.deepEqual(await uids("?accessRequested=true&limit=1"), [other.id]);
  assert.deepEqual(await uids(`?accessRequested=true&filterByUserIds=${first},${asking.id}`), [asking.id]);
  assert.deepEqual(await uids(`?accessRequested=true&search=${other.username}`), [other.id]);
  assert.deepEqual(await uids("?accessRequested=true&role=OWNER"), []);
  assert.ok((await uids("?accessRequested=false")).includes(first));

  const newer = await team.list(`?since=0&limit=1`);
  assert.equal(newer.members[0].uid, owner.id);
  const tooMany = await request("GET", `/v2/teams/${team.id}/members?filterByUserIds=${"x,".repeat(101)}`, {
    token: owner.token,
  });
  assert.equal(tooMany.status, 200, "equal ids count once");
  const ids = Array.from({ length: 101 }, (_, index) => `u${index}`).join(",");
  const refused = await request("GET", `/v2/teams/${team.id}/members?filterByUserIds=${ids}`, { token: owner.token });
  assert.equal(refused.body.error.code, "invalid_query");
});

test("inviting refuses each state by a code of its own", async () => {
  const [owner, member, invited, asking, stranger] = (await Promise.all(
    Array.from({ length: 5 }, () => createUser()),
  )) as [TestUser, TestUser, TestUser, TestUser, TestUser];
  const team = await teamOf(owner);
  await team.add(member);
  const invite = (body: unknown, token = owner.token) => request("POST", team.path, { token, body });
  await invite({ email: invited.email });
  const named = await createUser();
  await invite({ uid: named.id });
  await request("POST", `/v1/teams/${team.id}/request`, { token: asking.token });
  const codes = async (body: unknown) => (await invite(body)).body.error?.code;
  assert.equal(await codes({ uid: member.id }), "already_member");
  assert.equal(await codes({ email: invited.email.toUpperCase() }), "already_invited");
  assert.equal(await codes({ uid: named.id }), "already_invited");
  assert.equal(await codes({ uid: asking.id }), "already_requested");
  assert.equal(await codes({ uid: "nobody", email: stranger.email }), "user_not_found");
  assert.equal(await codes({ role: "MEMBER" }), "bad_request");
  assert.equal(await codes([]), "bad_request");
  assert.equal(await codes({ uid: stranger.id, role: "KING" }), "bad_request");
  assert.equal(await codes({ uid: stranger.id, teamRole: "MEMBER" }), "bad_request");
  const grant = { projectId: "p1", role: "ADMIN", until: 1 };
  assert.equal(await codes([{ uid: stranger.id, projects: [grant] }]), "bad_request");
  assert.equal(await codes(Array.from({ length: 51 }, () => ({ email: "a@example.com" }))), "bad_request");
  const noAddress = (await invite([{ email: "somebody" }])).body.error;
  assert.match(noAddress.message, /^body\[0\]\.email: expected an e-mail address/);
  assert.equal((await invite({ uid: stranger.id }, member.token)).status, 403);
  assert.equal((await invite({ uid: stranger.id }, stranger.token)).status, 404);

  const list = [{ email: stranger.email }, { email: "new@example.com" }, { email: member.email }];
  const refused = await invite(list);
  assert.equal(refused.body.error.code, "already_member");
  assert.match(refused.body.error.message, /^body\[2\]\.email: /);
  const { members, emailInviteCodes } = await team.list();
  assert.equal(
    members.some(({ uid }: { uid: string }) => uid === stranger.id),
    false,
  );
  assert.deepEqual(
    emailInviteCodes.map(({ email }: { email: string }) => email),
    [invited.email],
  );

  const accepted = await request("POST", `/v2/teams/${team.id}/members`, {
    token: owner.token,
    body: list.slice(0, 2),
  });
  assert.equal(accepted.status, 200, accepted.text);
  assert.equal(accepted.body.email, stranger.email);
  assert.equal(accepted.body.role, "VIEWER");
  assert.equal(accepted.body.invited.length, 2);
  assert.match(accepted.body.invited[1].code, /^[0-9A-Za-z]{40}$/);
  assert.equal(await codes({ email: "NEW@example.com" }), "already_invited");
});

test("an address without an account is invited by a code that only its owner can use", async () => {
  const [owner, other] = [await createUser(), await createUser()];
  const team = await teamOf(owner);
  const name = uniqueName("late");
  const body = { email: `${name}@example.com`, role: "DEVELOPER", projects: [{ projectId: "p1", role: "ADMIN" }] };
  const invited = await request("POST", team.path, { token: owner.token, body });
  const { code } = invited.body;
  const { emailInviteCodes } = await team.list();
  assert.deepEqual(emailInviteCodes, [
    {
      id: invited.body.uid,
      email: body.email,
      role: "DEVELOPER",
      isDSyncUser: false,
      teamRoles: ["DEVELOPER"],
      teamPermissions: [],
      projects: { p1: "ADMIN" },
      createdAt: clock.now,
    },
  ]);
  const stolen = await request("POST", "/v1/teams/join", { token: other.token, body: { inviteCode: code } });
  assert.equal(stolen.body.error.code, "invite_wrong_email");
  const late = await createUser(name);
  const joined = await request("POST", "/v1/teams/join", { token: late.token, body: { inviteCode: code } });
  assert.equal(joined.status, 200, joined.text);
  assert.equal(joined.body.from, "mail");
  const one = await request("GET", `${team.path}/${late.id}`, { token: late.token });
  assert.equal(one.body.role, "DEVELOPER");
  assert.deepEqual(one.body.projects, [{ id: "p1", name: "p1", role: "ADMIN" }]);
  assert.deepEqual((await team.list()).emailInviteCodes, []);
  const again = await request("POST", "/v1/teams/join", { token: other.token, body: { inviteCode: code } });
  assert.equal(again.body.error.code, "invite_used_up");
});

test("joining without an invitation is refused and points to the access request", async () => {
  const [owner, stranger] = [await createUser(), await createUser()];
  const team = await teamOf(owner);
  const join = (body: unknown) => request("POST", "/v1/teams/join", { token: stranger.token, body });
  const refused = await join({ teamId: team.id });
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error.code, "not_invited");
  assert.match(refused.body.error.message, /request access/);
  assert.equal((await join({ teamId: "team_nowhere" })).status, 404);
  assert.equal((await join({})).body.error.code, "bad_request");
  assert.equal((await join({ inviteCode: "no-such-code" })).body.error.code, "invite_unknown");
  const alias = `/v1/teams/${team.slug}/members/teams/join`;
  assert.equal((await request("POST", alias, { token: stranger.token })).body.error.code, "not_invited");
  await team.invite({ uid: stranger.id });
  const { value } = (await createKey(api, stranger.token)).body;
  const byKey = await request("POST", alias, { token: value });
  assert.deepEqual([byKey.status, byKey.body.error.code], [403, "forbidden"], "a key joins nothing for its owner");
});

test("a token that is limited to one team joins no other, neither by a code nor invited, and leaves none", async () => {
  const [guest, own, other] = [
    await createUser(),
    await openTeam(api, await createUser()),
    await teamOf(await createUser()),
  ];
  await own.add(guest);
  const made = await request("POST", `/v3/user/tokens?teamId=${own.id}`, { token: guest.token, body: { name: "own" } });
  const token = made.body.bearerToken;
  const invites = `/v1/teams/${other.id}/invites`;
  const { code } = (await request("POST", invites, { token: other.owner.token })).body;
  await other.invite({ uid: guest.id });
  for (const body of [{ inviteCode: code }, {}]) {
    const refused = await request("POST", `${other.path}/teams/join`, { token, body });
    assert.deepEqual([refused.status, refused.body.error.scope], [403, "team"], refused.text);
  }
  assert.equal((await other.find(guest)).confirmed, false);
  const left = await request("DELETE", `${other.path}/${guest.id}`, { token });
  assert.deepEqual([left.status, left.body.error.scope], [403, "team"], left.text);
});
