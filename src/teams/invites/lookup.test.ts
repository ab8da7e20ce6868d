// Inviting finds out nothing about accounts: anyone who has one, has none or is suspended looks alike until they join.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Body, TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";

const api = await startTestApp();
const { createUser, request, clock } = api;

const newTeam = async () => await openTeam(api, await createUser());
const call = (team: OpenTeam, method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown) =>
  request(method, `/v1/teams/${team.id}${path}`, { token: team.owner.token, ...(body === undefined ? {} : { body }) });

/** What differs by chance and by the name that was given is levelled. */
function level(value: unknown, email: string): string {
  return JSON.stringify(value)
    .replaceAll(email, "EMAIL")
    .replaceAll(/\b[0-9a-f]{24}\b/g, "INVITE")
    .replaceAll(/"(code|suffix)":"(?:[0-9A-Za-z]{40}|\w{4})"/g, `"$1":"…"`)
    .replaceAll(/[?]code=[0-9A-Za-z]{40}/g, "?code=…")
    .replaceAll(/"(createdAt|expiresAt|updatedAt|count|next|prev)":\d+(\.\d+)?/g, '"$1":0')
    .replaceAll(/\*\*\*\*\w{4}/g, "****");
}

/** Everything that an OWNER can see of an invitation, from the invitation to its withdrawal. */
async function seen(email: string): Promise<string> {
  const team = await newTeam();
  const responses: unknown[] = [];
  const note = (name: string, { status, body, headers }: { status: number; body: unknown; headers: Body }) =>
    responses.push([name, status, headers["etag"], body]);
  note("invite", await team.invite({ email, role: "DEVELOPER", projects: [{ projectId: "p", role: "ADMIN" }] }));
  note("again", await team.invite({ email: email.toUpperCase() }));
  const { uid } = (responses[0] as [string, number, unknown, Body])[3];
  const list = await call(team, "GET", "/members");
  responses.push([
    list.body.members.filter((member: Body) => member.uid !== team.owner.id),
    list.body.emailInviteCodes,
    list.body.pagination.hasNext,
  ]);
  for (const query of [`search=${email}`, `filterByUserIds=${uid}`, "role=DEVELOPER", "excludeProject=p"]) {
    const { status, body } = await call(team, "GET", `/members?${query}`);
    responses.push([query.split("=")[0], status, body.members.map((member: Body) => [member.uid, member.role])]);
  }
  note("get", await call(team, "GET", `/members/${uid}`));
  note("projects", await call(team, "GET", `/members/${uid}/projects`));
  note("request", await call(team, "GET", `/request/${uid}`));
  note("confirm", await call(team, "PATCH", `/members/${uid}`, { confirmed: true }));
  note("change", await call(team, "PATCH", `/members/${uid}`, { role: "VIEWER", teamPermissions: ["CreateProject"] }));
  note("changed", await call(team, "GET", `/members/${uid}`));
  note("invites", await call(team, "GET", "/invites"));
  note("resend", await call(team, "POST", `/invites/${uid}/resend`));
  clock.advance(8 * 86_400_000);
  note("late", await call(team, "GET", `/members/${uid}`));
  note("remove", await call(team, "DELETE", `/members/${uid}`));
  note("removed", await call(team, "GET", `/members/${uid}`));
  const { events } = (await request("GET", `/v3/events?teamId=${team.id}&withPayload=true`, team.owner)).body;
  responses.push(
    events
      .filter(({ type }: Body) => type !== "team")
      .map(({ type, text, payload, previous, next }: Body) => ({ type, text, payload, previous, next })),
  );
  const own = new RegExp(`${team.owner.username}|${team.owner.id}|${team.slug}|${team.id}`, "g");
  return level(responses, email).replaceAll(own, "OWN");
}

test("an address with an account, without one, and of a suspended account can't be told apart", async () => {
  const [account, suspended] = [await createUser(), await createUser()];
  await request("PATCH", `/v1/users/${suspended.id}`, { body: { suspended: true } });
  const absent = await seen(`${uniqueName("absent")}@example.com`);
  assert.equal(await seen(account.email), absent);
  assert.equal(await seen(suspended.email), absent);
  assert.match(absent, /team-member-add/);
});

test("a stranger's uid shows nothing but itself until they join", async () => {
  const team = await newTeam();
  const stranger = await createUser();
  const { body, text } = await team.invite({ uid: stranger.id, role: "VIEWER" });
  assert.deepEqual(body, {
    uid: stranger.id,
    username: stranger.id,
    email: "",
    role: "VIEWER",
    teamRoles: ["VIEWER"],
    teamPermissions: [],
  });
  const { members, emailInviteCodes } = await team.list();
  assert.deepEqual([members[0].uid, members[0].confirmed, emailInviteCodes], [stranger.id, false, []]);
  const events = await api.query(`select payload, text from events where owner_id = '${team.id}'`);
  const shown = JSON.stringify([text, members, await call(team, "GET", "/invites"), events]);
  assert.equal(shown.includes(stranger.email), false);
  assert.equal(shown.includes(stranger.username), false);
  assert.equal((await team.list(`?search=${stranger.username}`)).members.length, 0);

  // Whether an address is this account's shows neither.
  assert.equal((await team.invite({ email: stranger.email, role: "VIEWER" })).status, 200);
  assert.equal((await team.list()).members.length, 3);
  await team.join(stranger);
  const joined = await team.list();
  assert.deepEqual(
    joined.members.map(({ uid, username, email, confirmed }: Body) => [uid, username, email, confirmed]),
    [
      [stranger.id, stranger.username, stranger.email, true],
      [team.owner.id, team.owner.username, team.owner.email, true],
    ],
  );
});

test("the uid of an invitation leads to the account that accepted it", async () => {
  const team = await newTeam();
  const guest = await createUser();
  const { uid } = (await team.invite({ email: guest.email, role: "DEVELOPER" })).body;
  assert.notEqual(uid, guest.id);
  assert.equal((await call(team, "GET", `/members/${guest.id}`)).body.error.code, "member_not_found");
  assert.equal((await call(team, "DELETE", `/members/${guest.id}`)).body.error.code, "member_not_found");
  assert.equal((await team.join(guest)).body.from, "mail");
  for (const name of [uid, guest.id]) {
    assert.equal((await call(team, "GET", `/members/${name}`)).body.uid, guest.id);
    const [found] = (await team.list(`?limit=1&filterByUserIds=${name}`)).members;
    assert.deepEqual([found.uid, found.role, found.confirmed], [guest.id, "DEVELOPER", true]);
  }
  assert.equal((await call(team, "PATCH", `/members/${uid}`, { role: "VIEWER" })).status, 200);
  assert.equal((await team.find(guest)).role, "VIEWER");
  assert.equal((await call(team, "DELETE", `/members/${uid}`)).status, 200);
  assert.equal((await call(team, "GET", `/members/${uid}`)).body.error.code, "member_not_found");
  assert.equal((await team.list(`?filterByUserIds=${uid}`)).members.length, 0);
  assert.equal((await call(team, "DELETE", `/members/${uid}`)).body.error.code, "member_not_found");
});

test("members and the invited are one list, in pages", async () => {
  const team = await newTeam();
  const expected: string[] = [team.owner.id];
  for (let index = 0; index < 9; index++) {
    if (index % 3 === 0) {
      const user = await createUser();
      await team.add(user, "VIEWER");
      expected.unshift(user.id);
    } else {
      const email = `${uniqueName("page")}@example.com`;
      expected.unshift((await team.invite({ email, role: "VIEWER" })).body.uid);
    }
  }
  for (const limit of [1, 2, 3, 7, 20]) {
    const uids: string[] = [];
    let query = `?limit=${limit}`;
    for (;;) {
      const { members, pagination } = await team.list(query);
      uids.push(...members.map(({ uid }: Body) => uid));
      if (pagination.next === null) break;
      query = `?limit=${limit}&until=${pagination.next}`;
    }
    assert.deepEqual(uids, expected, `pages of ${limit}`);
  }
  const forward = await team.list("?since=0&limit=4");
  assert.deepEqual(
    forward.members.map(({ uid }: Body) => uid),
    expected.slice(-4),
  );
  const viewers = await team.list("?role=VIEWER&limit=4");
  assert.deepEqual(
    viewers.members.map(({ uid }: Body) => uid),
    expected.slice(0, 4),
  );
});

test("the invited person declines an invitation, under each of its names", async () => {
  const team = await newTeam();
  const guest = await createUser();
  const byUid = (await team.invite({ uid: guest.id })).body.uid;
  const byEmail = (await team.invite({ email: guest.email })).body.uid;
  assert.equal((await team.remove(guest, guest)).status, 200);
  for (const uid of [byUid, byEmail]) {
    assert.equal((await call(team, "GET", `/members/${uid}`)).body.error.code, "member_not_found");
  }
  const { type, payload } = await team.lastEvent();
  assert.deepEqual([type, payload.reason], ["team-member-delete", "invitation declined"]);
  assert.equal((await team.join(guest)).body.error.code, "not_invited");
});

test("only people who asked or were invited see the team in its limited form", async () => {
  const team = await newTeam();
  const people = await Promise.all(Array.from({ length: 5 }, () => createUser()));
  const [asking, invited, named, late, stranger] = people as [TestUser, TestUser, TestUser, TestUser, TestUser];
  const read = (user: TestUser, name = team.id) => request("GET", `/v2/teams/${name}`, { token: user.token });
  await team.invite({ email: late.email });
  clock.advance(7 * 86_400_000);
  await team.ask(asking);
  await team.invite({ email: invited.email });
  await team.invite({ uid: named.id });
  const absent = await read(stranger, "team_absent");
  for (const user of [late, stranger]) {
    const { status, body } = await read(user);
    assert.deepEqual([status, body], [404, absent.body]);
  }
  for (const user of [asking, invited, named]) {
    for (const name of [team.id, team.slug]) {
      const { status, body } = await read(user, name);
      assert.equal(status, 200);
      const { id, slug } = team;
      const { createdAt } = body;
      assert.deepEqual(body, { id, slug, name: slug, avatar: null, createdAt, limited: true, limitedBy: ["scope"] });
    }
  }
  await team.remove(asking);
  assert.equal((await read(asking)).status, 404);
  assert.equal((await request("GET", `/v2/teams/${team.id}/members`, { token: invited.token })).status, 404);
});
