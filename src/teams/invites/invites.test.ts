import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";
import { retryWhileBusy } from "../../../test/harness/wait-for.ts";
import { handOver } from "./codes.ts";

const api = await startTestApp();
const { createUser, request, clock } = api;

const newTeam = async () => await openTeam(api, await createUser());

async function createInvite(team: OpenTeam, body?: unknown) {
  const options = { token: team.owner.token, ...(body === undefined ? {} : { body }) };
  return await request("POST", `/v1/teams/${team.id}/invites`, options);
}

const resend = (team: OpenTeam, id: string) =>
  request("POST", `/v1/teams/${team.id}/invites/${id}/resend`, { token: team.owner.token });
const revoke = (team: OpenTeam, idOrCode: string) =>
  request("DELETE", `/v1/teams/${team.id}/invites/${idOrCode}`, { token: team.owner.token });
const list = async (team: OpenTeam, query = "") =>
  (await request("GET", `/v1/teams/${team.id}/invites${query}`, { token: team.owner.token })).body;

test("a shareable code is shown once, admits people with its role, and is in no table or event", async () => {
  const team = await newTeam();
  const { body, status, text } = await createInvite(team, { role: "DEVELOPER" });
  assert.equal(status, 200, text);
  const { code, invite } = body;
  assert.match(code, /^[0-9A-Za-z]{40}$/);
  assert.deepEqual(invite, {
    id: invite.id,
    kind: "code",
    email: null,
    role: "DEVELOPER",
    status: "active",
    suffix: code.slice(-4),
    maxUses: null,
    uses: 0,
    expiresAt: clock.now + 7 * DAY_MS,
    createdAt: clock.now,
    updatedAt: clock.now,
    createdBy: team.owner.id,
  });
  assert.deepEqual((await team.lastEvent()).payload, { inviteCode: `****${code.slice(-4)}` });
  assert.deepEqual((await list(team)).invites, [invite]);

  const [first, second] = [await createUser(), await createUser()];
  const joined = await team.join(first, code);
  assert.deepEqual(joined.body, { teamId: team.id, slug: team.slug, name: team.slug, from: "link" });
  const { type, payload, next } = await team.lastEvent();
  assert.equal(type, "team-member-join");
  assert.deepEqual(payload, {
    uid: first.id,
    role: "DEVELOPER",
    teamSlug: team.slug,
    origin: "link",
    invitedBy: { email: team.owner.email, userId: team.owner.id },
    teamRoles: ["DEVELOPER"],
    teamPermissions: [],
  });
  assert.equal(next.state, "member");
  const alias = await request("POST", `/v1/teams/${team.slug}/members/teams/join`, {
    token: second.token,
    body: { inviteCode: code },
  });
  assert.equal(alias.status, 200, alias.text);
  assert.equal((await team.join(first, code)).body.error.code, "already_member");
  assert.equal((await list(team)).invites[0].uses, 2);
  for (const table of ["invites", "events", "idempotency_records"]) {
    assert.equal(JSON.stringify(await api.query(`select * from ${table}`)).includes(code), false, table);
  }
});

test("a code that names an address is for the person who has confirmed it", async () => {
  const [team, user] = [await newTeam(), await createUser()];
  const { code } = (await createInvite(team, { email: user.email })).body;
  await api.query(`update users set email_confirmed_at = null where id = '${user.id}'`);
  const refused = await team.join(user, code);
  assert.deepEqual(
    [refused.body.error.code, refused.body.error.message],
    ["invite_wrong_email", "inviteCode: this invite is for your address once it is confirmed"],
  );
  const confirmed = { body: { email: `new-${user.email}` } };
  for (const body of [confirmed.body, { email: user.email }]) await request("PATCH", `/v1/users/${user.id}`, { body });
  assert.equal((await team.join(user, code)).status, 200);
});

test("each reason why a code does not work has an error code of its own", async () => {
  const [team, other] = [await newTeam(), await newTeam()];
  const [user, early] = [await createUser(), await createUser()];
  const codeOf = async (body?: unknown) => (await createInvite(team, body)).body.code as string;
  const joinNamed = (person: TestUser, body: unknown) =>
    request("POST", `/v1/teams/${team.id}/members/teams/join`, { token: person.token, body });
  const why = async (code: string) => {
    const refused = await team.join(user, code);
    assert.deepEqual((await joinNamed(user, { inviteCode: code })).body, refused.body);
    return refused.body.error.code;
  };

  const expired = await codeOf({ expiresAt: clock.now + 1 });
  const usedUp = await codeOf({ maxUses: 1 });
  const revoked = await codeOf();
  const pinned = await codeOf({ email: "somebody@example.com" });
  clock.advance(1);
  await team.join(early, usedUp);
  assert.deepEqual((await revoke(team, revoked)).body, { id: team.id });
  assert.equal(await why(expired), "invite_expired");
  assert.equal(await why(usedUp), "invite_used_up");
  assert.equal(await why(revoked), "invite_revoked");
  assert.equal(await why(pinned), "invite_wrong_email");
  assert.equal(await why("x"), "invite_unknown");
  assert.equal((await joinNamed(early, {})).body.error.code, "already_member");
  const wrongTeam = await request("POST", `/v1/teams/${other.id}/members/teams/join`, {
    token: user.token,
    body: { inviteCode: pinned },
  });
  assert.equal(wrongTeam.body.error.code, "invite_wrong_team");
  const both = await request("POST", "/v1/teams/join", {
    token: user.token,
    body: { inviteCode: pinned, teamId: other.slug },
  });
  assert.equal(both.body.error.code, "invite_wrong_team");
  assert.equal(await team.find(user), undefined);
  const statuses = (await list(team)).invites.map((invite: { status: string }) => invite.status);
  assert.deepEqual(statuses, ["active", "used_up", "expired"]);
});

test("a code comes with its link only where the server's address is known", () => {
  assert.deepEqual(handOver({ ownUrl: null }, "c"), { code: "c" });
});

test("expiresAt lies between now and a year from now", async () => {
  const team = await newTeam();
  for (const expiresAt of [clock.now, clock.now + 366 * DAY_MS]) {
    assert.equal((await createInvite(team, { expiresAt })).body.error.code, "invalid_expiry");
  }
  assert.equal((await createInvite(team, { expiresAt: clock.now + 365 * DAY_MS })).status, 200);
  for (const body of [{ maxUses: 0 }, { role: "KING" }, { email: "nobody" }, { uses: 1 }]) {
    assert.equal((await createInvite(team, body)).body.error.code, "bad_request");
  }
});

test("renewing an invite replaces its code, and gives an expired one a new week", async () => {
  const team = await newTeam();
  const { body } = await createInvite(team, { expiresAt: clock.now + 1000 });
  clock.advance(2000);
  const renewed = await resend(team, body.invite.id);
  assert.equal(renewed.status, 200, renewed.text);
  assert.equal(renewed.body.invite.id, body.invite.id);
  assert.equal(renewed.body.invite.expiresAt, clock.now + 7 * DAY_MS);
  assert.equal(renewed.headers["etag"], '"2"');
  assert.equal((await team.lastEvent()).type, "team-invite-link-created");
  const user = await createUser();
  assert.equal((await team.join(user, body.code)).body.error.code, "invite_unknown");
  assert.equal((await team.join(user, renewed.body.code)).status, 200);

  const single = await createInvite(team, { maxUses: 1 });
  await team.join(await createUser(), single.body.code);
  assert.equal((await resend(team, single.body.invite.id)).body.error.code, "invite_used_up");
  await revoke(team, single.body.invite.id);
  assert.equal((await resend(team, single.body.invite.id)).status, 404);
});

test("an invite is revoked by its id or its code, once, and only in its own team", async () => {
  const [team, other] = [await newTeam(), await newTeam()];
  const { invite, code } = (await createInvite(team)).body;
  for (const name of [invite.id, code]) assert.equal((await revoke(other, name)).status, 404);
  assert.equal((await revoke(team, code)).status, 200);
  assert.deepEqual((await team.lastEvent()).payload, { inviteCode: `****${invite.suffix}` });
  for (const name of [invite.id, code]) assert.equal((await revoke(team, name)).status, 404);
  assert.deepEqual((await list(team)).invites, []);
});

test("invites are paged newest first", async () => {
  const team = await newTeam();
  const made: string[] = [];
  for (let i = 0; i < 5; i++) made.unshift((await createInvite(team)).body.invite.id);
  const seen: string[] = [];
  let query = "?limit=2";
  for (;;) {
    const { invites, pagination } = await list(team, query);
    seen.push(...invites.map(({ id }: { id: string }) => id));
    if (pagination.next === null) break;
    query = `?limit=2&until=${pagination.next}`;
  }
  assert.deepEqual(seen, made);
});

test("the team's own link admits people as VIEWER until it is replaced", async () => {
  const team = await newTeam();
  const [first, second] = [await createUser(), await createUser()];
  const { inviteCode } = (await request("GET", `/v2/teams/${team.id}`, { token: team.owner.token })).body;
  const joined = await team.join(first, inviteCode);
  assert.deepEqual([joined.status, joined.body.from], [200, "link"]);
  assert.equal((await team.find(first)).role, "VIEWER");
  await request("PATCH", `/v2/teams/${team.id}`, { token: team.owner.token, body: { regenerateInviteCode: true } });
  assert.equal((await team.join(second, inviteCode)).body.error.code, "invite_unknown");
});

test("a code admits people who asked or were invited, with the code's role", async () => {
  const team = await newTeam();
  const [asking, invited] = [await createUser(), await createUser()];
  await team.ask(asking);
  await team.invite({ uid: invited.id, role: "OWNER" });
  const { code } = (await createInvite(team, { role: "VIEWER" })).body;
  for (const user of [asking, invited]) {
    assert.equal((await team.join(user, code)).status, 200);
    const { role, confirmed, joinedFrom } = await team.find(user);
    assert.deepEqual([role, confirmed, joinedFrom], ["VIEWER", true, { origin: "link" }]);
  }
});

test("an expired invitation of an address stays listed, and another takes its place", async () => {
  const team = await newTeam();
  const email = `${uniqueName("slow")}@example.com`;
  const first = await team.invite({ email });
  clock.advance(7 * DAY_MS);
  const { emailInviteCodes } = await team.list();
  assert.deepEqual([emailInviteCodes[0].id, emailInviteCodes[0].expired], [first.body.uid, true]);
  const second = await team.invite({ email, role: "VIEWER" });
  assert.equal(second.status, 200, second.text);
  const now = (await team.list()).emailInviteCodes;
  assert.deepEqual(
    now.map(({ id, expired }: { id: string; expired?: true }) => [id, expired]),
    [[second.body.uid, undefined]],
  );
  assert.deepEqual((await team.list("?search=nobody-else")).emailInviteCodes, []);
  assert.deepEqual((await team.list("?role=OWNER")).emailInviteCodes, []);
  assert.equal((await revoke(team, second.body.uid)).status, 200);
  assert.deepEqual((await team.list()).emailInviteCodes, []);
});

test("a user whose address was invited before the account existed joins by the team's id", async () => {
  const team = await newTeam();
  const name = uniqueName("late");
  await team.invite({ email: `${name}@example.com`, role: "VIEWER" });
  const late = await createUser(name);
  assert.equal((await team.ask(late)).body.error.code, "already_invited");
  const joined = await team.join(late);
  assert.deepEqual([joined.status, joined.body.from], [200, "mail"]);
  assert.equal((await team.find(late)).role, "VIEWER");
  assert.equal((await list(team)).invites[0].status, "used_up");
});

test("only members who may read invites see the invited addresses", async () => {
  const team = await newTeam();
  const member = await createUser();
  await team.add(member);
  const { uid } = (await team.invite({ email: `${uniqueName("shy")}@example.com` })).body;
  const one = await request("GET", `/v1/teams/${team.id}/members/${uid}`, { token: member.token });
  assert.deepEqual([one.status, one.body.error?.code], [404, "member_not_found"]);
  const { body } = await request("GET", `/v2/teams/${team.id}/members`, { token: member.token });
  assert.deepEqual([body.emailInviteCodes, body.members.length], [[], 2]);
  assert.equal((await team.list()).members.length, 3);
  assert.equal((await request("GET", `/v1/teams/${team.id}/invites`, { token: member.token })).status, 403);
});

test("a suspended account is invited like any other, and cannot join before it is resumed", async () => {
  const team = await newTeam();
  const user = await createUser();
  const suspend = (suspended: boolean) => request("PATCH", `/v1/users/${user.id}`, { body: { suspended } });
  await suspend(true);
  for (const body of [{ uid: user.id }, { email: user.email }]) assert.equal((await team.invite(body)).status, 200);
  assert.equal((await team.join(user)).status, 401);
  await suspend(false);
  assert.equal((await team.join(user)).status, 200);
});

test("a team has at most a thousand open invitations, also under concurrent requests", async () => {
  const team = await newTeam();
  const people = (count: number) => Array.from({ length: count }, () => ({ email: `${uniqueName("p")}@example.com` }));
  for (let made = 0; made < 950; made += 50) assert.equal((await team.invite(people(50))).status, 200);
  const last = await Promise.all([people(40), people(40)].map((invited) => retryWhileBusy(() => team.invite(invited))));
  assert.deepEqual(last.map(({ status }) => status).toSorted(), [200, 400]);
  assert.equal((await team.invite(people(10))).status, 200);
  const { status, body } = await team.invite(people(1)[0]);
  assert.deepEqual([status, body.error.code, body.error.limit], [400, "too_many_invitations", 1_000]);
  // A withdrawn invitation makes room, and an expired one that is made again needs none.
  const [{ id, email }] = (await team.list()).emailInviteCodes;
  assert.equal((await revoke(team, id)).status, 200);
  assert.equal((await team.invite({ email })).status, 200);
  clock.advance(7 * DAY_MS);
  assert.equal((await team.invite({ email })).status, 200);
});
