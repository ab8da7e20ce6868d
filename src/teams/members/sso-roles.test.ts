// Roles by the claims of a provider: they follow the claims up and down, and leave no team without its last OWNER, nor the instance
// without its last administrator.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";
import { newIdentity, signInWithIdentity } from "../../../test/sign-in/sign-in-with-identity.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { MappedRoles } from "../../identity/methods/identities/sign-in.ts";
import type { NewIdentity } from "../../identity/methods/identities/identities.ts";

const api = await startOwnApp();
const { admin, createUser, readEvents, request } = api;

const newTeam = async () => await openTeam(api, await createUser());
const inTeams = (...teams: MappedRoles["teams"]): MappedRoles => ({ isAdministrator: null, teams });
const inTeam = (team: { readonly id: string }, role: TeamRole | null) => inTeams({ team: team.id, role });

/** Signs in with roles; returns who that is, and what the event says. */
async function signIn(identity: NewIdentity, roles: MappedRoles) {
  const { session } = await signInWithIdentity(api, identity, { roles });
  const { user } = (await request("GET", "/v2/user", { session })).body;
  const { payload, text } = (await readEvents(user.id)).findLast(({ type }) => type === "sso-login") ?? {};
  return { user, session, applied: payload.applied, skipped: payload.skipped, text };
}

test("a role in a team follows the claims up and down, and ends with them", async () => {
  const team = await newTeam();
  const identity = newIdentity();
  const { user, applied, session } = await signIn(identity, inTeam(team, "VIEWER"));
  assert.deepEqual(applied, [{ teamId: team.id, role: "VIEWER" }]);
  const { role, confirmed, joinedFrom } = await team.find(user);
  assert.deepEqual([role, confirmed, joinedFrom.origin], ["VIEWER", true, "saml"]);
  const joined = await team.lastEvent();
  assert.deepEqual([joined.type, joined.payload.uid], ["team-member-join", user.id]);
  const revealed = () => request("GET", `/v1/teams/${team.id}/invites`, { session });
  assert.equal((await revealed()).status, 403);

  assert.deepEqual((await signIn(identity, inTeam(team, "OWNER"))).applied, [{ teamId: team.id, role: "OWNER" }]);
  assert.equal((await revealed()).status, 200);
  assert.deepEqual((await signIn(identity, inTeam(team, "OWNER"))).applied, [], "nothing new");
  await signIn(identity, inTeam(team, "DEVELOPER"));
  const lowered = await team.lastEvent();
  assert.equal(lowered.type, "team-invite-code-reset", "who could see join codes no longer may");
  assert.equal((await team.find(user)).role, "DEVELOPER");

  const left = await signIn(identity, inTeam(team, null));
  assert.deepEqual(left.applied, [{ teamId: team.id, role: null }]);
  assert.equal(await team.find(user), undefined);
  assert.equal((await team.lastEvent()).type, "team-member-delete");
  assert.equal((await request("GET", `/v2/teams/${team.id}`, { session: left.session })).status, 404);
  await signIn(identity, inTeam(team, "MEMBER"));
  assert.equal((await team.find(user)).role, "MEMBER", "back in the group, back in the team");
});

test("a membership that no mapping gave is left alone, until one fits", async () => {
  const team = await newTeam();
  const identity = newIdentity();
  const { user } = await signIn(identity, inTeams());
  const { result, session } = await signInWithIdentity(api, identity);
  assert.equal(result.outcome, "signed-in");
  await team.invite({ uid: user.id, role: "MEMBER" });
  const accepted = await request("POST", "/v1/teams/join", { session, body: { teamId: team.id } });
  assert.equal(accepted.status, 200, accepted.text);
  assert.deepEqual((await signIn(identity, inTeam(team, null))).applied, []);
  assert.deepEqual((await signIn(identity, inTeams())).applied, []);
  assert.equal((await team.find(user)).role, "MEMBER");
  await signIn(identity, inTeam(team, "VIEWER"));
  assert.equal((await team.find(user)).role, "VIEWER");
  // From now on it belongs to the mapping.
  await signIn(identity, inTeam(team, null));
  assert.equal(await team.find(user), undefined);
});

test("a membership whose link to the provider was ended no longer ends with the claims", async () => {
  const team = await newTeam();
  const identity = newIdentity();
  const { user } = await signIn(identity, inTeam(team, "VIEWER"));
  assert.equal((await team.change(user, { joinedFrom: { ssoUserId: null } })).status, 200);
  assert.deepEqual((await team.find(user)).joinedFrom, { origin: "saml" });
  assert.deepEqual((await signIn(identity, inTeam(team, null))).applied, []);
  assert.equal((await team.find(user)).role, "VIEWER");
});

test("another identity of the same account does not end what the first one's mapping gave", async () => {
  const team = await newTeam();
  const [one, other] = [newIdentity(), newIdentity({ issuer: "https://other.example" })];
  const { user } = await signIn(one, inTeam(team, "MEMBER"));
  const origin = { ip: "192.0.2.7", userAgent: null, requestId: "req_test", via: "http" } as const;
  const addition = { userId: user.id as string, method: other, sessionId: null, origin };
  await api.app.runner.changes.addSignInMethod(addition, api.clock.now);
  assert.deepEqual((await signIn(other, inTeam(team, null))).applied, []);
  assert.equal((await team.find(user)).role, "MEMBER");
  await signIn(other, inTeam(team, "VIEWER"));
  assert.deepEqual((await signIn(one, inTeam(team, null))).applied, [], "the second identity's by now");
});

test("invitations and access requests become the membership", async () => {
  const team = await newTeam();
  const identity = newIdentity();
  const { user, session } = await signIn(identity, inTeams());
  const asked = await request("POST", `/v1/teams/${team.id}/request`, { session, body: {} });
  assert.equal(asked.status, 200, asked.text);
  await signIn(identity, inTeam(team, "SECURITY"));
  assert.deepEqual([(await team.find(user)).role, (await team.find(user)).confirmed], ["SECURITY", true]);

  const second = await newTeam();
  await second.invite({ email: user.email, role: "OWNER" });
  await signIn(identity, inTeam(second, "VIEWER"));
  const { members, emailInviteCodes } = await second.list();
  assert.deepEqual(
    [members.find(({ uid }: { uid: string }) => uid === user.id).role, emailInviteCodes],
    ["VIEWER", []],
  );
});

test("the last OWNER of a team keeps the role, and the event says so", async () => {
  const team = await newTeam();
  const identity = newIdentity();
  const { user } = await signIn(identity, inTeam(team, "OWNER"));
  assert.equal((await team.remove(team.owner)).status, 200);
  for (const role of ["VIEWER", null] as const) {
    const { skipped, applied, text } = await signIn(identity, inTeam(team, role));
    assert.deepEqual([skipped, applied], [[{ what: `team ${team.slug}`, reason: "its last OWNER" }], []]);
    assert.match(text ?? "", new RegExp(`; left as it is: team ${team.slug} \\(its last OWNER\\)$`));
    const [row] = await api.query(
      `select role, state from memberships where team_id = '${team.id}' and user_id = '${user.id}'`,
    );
    assert.deepEqual([row?.["role"], row?.["state"]], ["OWNER", "member"]);
  }
});

test("whom a member removed, no mapping brings back; an invitation does", async () => {
  const team = await newTeam();
  const identity = newIdentity();
  const { user } = await signIn(identity, inTeam(team, "MEMBER"));
  assert.equal((await team.remove(user)).status, 200);
  const { skipped, session } = await signIn(identity, inTeam(team, "MEMBER"));
  assert.deepEqual(skipped, [{ what: `team ${team.slug}`, reason: "removed by a member" }]);
  assert.equal(await team.find(user), undefined);
  await team.invite({ uid: user.id, role: "VIEWER" });
  await request("POST", "/v1/teams/join", { session, body: { teamId: team.id } });
  await signIn(identity, inTeam(team, "MEMBER"));
  assert.equal((await team.find(user)).role, "MEMBER");
});

/** How a membership ends that a mapping gave, other than by a member of the team. */
const ENDS: Readonly<Record<string, (team: OpenTeam, identity: NewIdentity) => Promise<unknown>>> = {
  "lost the group": (team, identity) => signIn(identity, inTeam(team, null)),
  "left while in the group": async (team, identity) => {
    const { user, session } = await signIn(identity, inTeam(team, "MEMBER"));
    return await request("DELETE", `/v1/teams/${team.id}/members/${user.id}`, { session });
  },
};

for (const [text, end] of Object.entries(ENDS)) {
  test(`who ${text} asks with a code or the join link; an owner, the group, or an invitation lets them in`, async () => {
    const team = await newTeam();
    const { token } = team.owner;
    const shared = (await request("POST", `/v1/teams/${team.id}/invites`, { token, body: { role: "VIEWER" } })).body;
    const { inviteCode } = (await request("GET", `/v2/teams/${team.id}`, { token })).body;
    for (const code of [shared.code, inviteCode]) {
      const identity = newIdentity();
      const { user } = await signIn(identity, inTeam(team, "MEMBER"));
      await end(team, identity);
      assert.equal(await team.find(user), undefined);
      const { session } = await signIn(identity, inTeam(team, null));
      const join = (body: object) => request("POST", "/v1/teams/join", { session, body });
      const asked = await join({ inviteCode: code });
      assert.deepEqual([asked.status, asked.body.confirmed], [200, false], asked.text);
      assert.equal((await team.find(user)).confirmed, false);
      assert.equal((await team.change(user, { confirmed: true, role: "VIEWER" })).status, 200);
      await signIn(identity, inTeam(team, null));
      assert.equal((await team.find(user)).confirmed, true, "whom an owner has let in stays");

      await signIn(identity, inTeam(team, "MEMBER"));
      await end(team, identity);
      const back = await signIn(identity, inTeam(team, "DEVELOPER"));
      assert.deepEqual([back.skipped, (await team.find(user)).role], [[], "DEVELOPER"], "the group alone suffices");

      await end(team, identity);
      await team.invite({ uid: user.id, role: "BILLING" });
      assert.equal((await join({ teamId: team.id })).status, 200);
      assert.equal((await team.find(user)).role, "BILLING");
    }
  });
}

test("a team may be named by its slug, once with its id; one that does not exist is skipped", async () => {
  const [team, gone] = [await newTeam(), await newTeam()];
  await request("DELETE", `/v1/teams/${gone.id}`, { token: gone.owner.token });
  const { applied, skipped } = await signIn(
    newIdentity(),
    inTeams(
      { team: team.slug, role: "VIEWER" },
      { team: team.id, role: "MEMBER" },
      { team: gone.slug, role: "OWNER" },
      { team: gone.id, role: "OWNER" },
      { team: "no-such-team", role: null },
    ),
  );
  assert.deepEqual(applied, [{ teamId: team.id, role: "MEMBER" }]);
  assert.deepEqual(skipped, [
    { what: `team ${gone.slug}`, reason: "there is none" },
    { what: `team ${gone.id}`, reason: "there is none" },
  ]);
});

test("administrators of the instance follow the claims, but for the last one", async () => {
  const asAdministrator = (isAdministrator: boolean | null): MappedRoles => ({ isAdministrator, teams: [] });
  const identity = newIdentity();
  const { user, applied, session } = await signIn(identity, asAdministrator(true));
  assert.deepEqual([applied, user.isAdmin], [[{ instance: "administrator" }], true]);
  assert.equal((await request("GET", "/v1/users", { session })).status, 200);
  assert.equal((await signIn(identity, asAdministrator(null))).user.isAdmin, true, "no mapping is about the instance");
  const team = await newTeam();
  const invites = `/v1/teams/${team.id}/invites`;
  const { code } = (await request("POST", invites, { session, body: { role: "OWNER" } })).body;
  assert.equal((await team.join(await createUser(), code)).status, 200);
  const lowered = await signIn(identity, asAdministrator(false));
  assert.deepEqual([lowered.applied, lowered.user.isAdmin], [[{ instance: null }], false]);
  assert.equal((await request("GET", "/v1/users", { session })).status, 403);

  await signIn(identity, asAdministrator(true));
  const again = await team.join(await createUser(), code);
  assert.equal(again.body.error?.code, "invite_revoked", "a code does not come back with the right");
  await request("PATCH", `/v1/users/${admin.id}`, { body: { suspended: true } });
  const last = await signIn(identity, asAdministrator(false));
  assert.deepEqual([last.applied, last.user.isAdmin], [[], true]);
  assert.deepEqual(last.skipped, [{ what: "instance", reason: "its last administrator" }]);
});

test("administrators who sign in at the same time are not all taken away", async () => {
  const roles: MappedRoles = { isAdministrator: false, teams: [] };
  const identities = [newIdentity(), newIdentity(), newIdentity()];
  for (const identity of identities) await signIn(identity, { ...roles, isAdministrator: true });
  await api.query(`update users set is_admin = 0 where email not like 'subject-%'`);
  await Promise.all(identities.map((identity) => signInWithIdentity(api, identity, { roles })));
  const rows = await api.query("select count(*) as count from users where is_admin = 1 and suspended_at is null");
  assert.ok(Number(rows[0]?.["count"]) >= 1);
});
