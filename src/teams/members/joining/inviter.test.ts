// An invitation of an account, or of the address of one, lets it join as long as the person who answers for it may invite.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { TestUser } from "../../../../test/harness/test-app.ts";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { openTeam } from "../../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../../test/resources/teams.ts";

const api = await startTestApp();
const { createUser, request } = api;

const setAccount = async ({ id }: TestUser, body: object) =>
  assert.equal((await request("PATCH", `/v1/users/${id}`, { body })).status, 200);

/** A team with a second OWNER, who is about to lose that. */
async function openTeamOfTwo() {
  const team = await openTeam(api, await createUser());
  const inviter = await createUser();
  await team.add(inviter, "OWNER");
  return { team, inviter };
}

/** Accounts that somebody has invited: by id, by address, and by id with a key of the team. */
async function inviteThree(team: OpenTeam, { token }: TestUser): Promise<TestUser[]> {
  const made = await request("POST", `/v1/api-keys?teamId=${team.id}`, { token, body: { name: "k", role: "OWNER" } });
  const [byId, byAddress, byKey] = [await createUser(), await createUser(), await createUser()];
  for (const [credential, body] of [
    [token, { uid: byId.id, role: "OWNER" }],
    [token, { email: byAddress.email, role: "OWNER" }],
    [made.body.value, { uid: byKey.id, role: "OWNER" }],
  ]) {
    const invited = await request("POST", `/v1/teams/${team.id}/members`, { token: credential, body });
    assert.equal(invited.status, 200, invited.text);
  }
  return [byId, byAddress, byKey];
}

const LOSSES: Readonly<Record<string, (team: OpenTeam, inviter: TestUser) => Promise<unknown>>> = {
  "was removed": (team, inviter) => team.remove(inviter),
  "was demoted": (team, inviter) => team.change(inviter, { role: "MEMBER" }),
  left: (team, inviter) => team.remove(inviter, inviter),
  "was suspended": (_team, inviter) => setAccount(inviter, { suspended: true }),
  "deleted the account": (_team, { token }) => request("DELETE", "/v1/user", { token }),
};

for (const [loss, lose] of Object.entries(LOSSES)) {
  test(`nobody joins by an invitation that somebody raised who ${loss}`, async () => {
    const { team, inviter } = await openTeamOfTwo();
    const key = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
      token: inviter.token,
      body: { name: "k", role: "OWNER" },
    });
    const [byPerson, byKey, lowered] = [await createUser(), await createUser(), await createUser()];
    for (const [user, from, to, token] of [
      [byPerson, "VIEWER", "OWNER", inviter.token],
      [byKey, "VIEWER", "OWNER", key.body.value],
      [lowered, "OWNER", "VIEWER", inviter.token],
    ] as const) {
      const { uid } = (await team.invite({ uid: user.id, role: from })).body;
      const changed = await request("PATCH", `/v1/teams/${team.id}/members/${uid}`, { token, body: { role: to } });
      assert.equal(changed.status, 200, changed.text);
    }
    await lose(team, inviter);
    for (const user of [byPerson, byKey]) assert.equal((await team.join(user)).body.error?.code, "not_invited");
    assert.equal((await team.join(lowered)).status, 200, "its sender still answers for what was only lowered");
  });

  test(`nobody joins by the invitation of somebody who ${loss}`, async () => {
    const { team, inviter } = await openTeamOfTwo();
    const invited = await inviteThree(team, inviter);
    await lose(team, inviter);
    for (const user of invited) {
      assert.equal((await team.join(user)).body.error?.code, "not_invited");
      assert.equal((await request("GET", `/v2/teams/${team.id}`, { token: user.token })).status, 404);
    }
    const listed = (await team.list()).members.filter(({ confirmed }: { confirmed: boolean }) => !confirmed);
    assert.deepEqual(
      listed.map(({ expired }: { expired?: true }) => expired),
      [true, true, true],
      "the list says so",
    );
  });
}

test("an invitation does not come back with the person who sent it", async () => {
  const { team, inviter } = await openTeamOfTwo();
  const removed = await inviteThree(team, inviter);
  await team.remove(inviter);
  await team.add(inviter, "OWNER");
  const suspended = await inviteThree(team, inviter);
  for (const isSuspended of [true, false]) await setAccount(inviter, { suspended: isSuspended });
  for (const user of [...removed, ...suspended]) {
    assert.equal((await team.join(user)).body.error?.code, "not_invited");
  }
});

test("the person who renews such an invitation or sends another one answers for it", async () => {
  const { team, inviter } = await openTeamOfTwo();
  const [renewed, again] = (await inviteThree(team, inviter)) as [TestUser, TestUser];
  await team.remove(inviter);
  const [row] = await api.query(`select id from invites where user_id = '${renewed.id}'`);
  const url = `/v1/teams/${team.id}/invites/${String(row?.["id"])}/resend`;
  assert.equal((await request("POST", url, { token: team.owner.token })).status, 200);
  assert.equal((await team.invite({ email: again.email, role: "VIEWER" })).status, 200);
  for (const [user, from] of [
    [renewed, "teams"],
    [again, "mail"],
  ] as const) {
    assert.equal((await team.join(user)).body.from, from);
  }
  assert.deepEqual([(await team.find(renewed)).role, (await team.find(again)).role], ["OWNER", "VIEWER"]);
});

test("an invitation by an administrator from outside of the team ends with that right", async () => {
  const team = await openTeam(api, await createUser());
  const administrator = await createUser();
  await setAccount(administrator, { admin: true });
  const [first, second] = (await inviteThree(team, administrator)) as [TestUser, TestUser];
  assert.equal((await team.join(first)).status, 200);
  await setAccount(administrator, { admin: false });
  assert.equal((await team.join(second)).body.error?.code, "not_invited");
  await setAccount(administrator, { admin: true });
  assert.equal((await team.join(second)).body.error?.code, "not_invited", "it does not come back with the right");
});

test("invitations and codes of an administrator from outside of the team end with the account, and the team's list says so", async () => {
  const team = await openTeam(api, await createUser());
  const administrator = await createUser();
  await setAccount(administrator, { admin: true });
  await inviteThree(team, administrator);
  const invites = `/v1/teams/${team.id}/invites`;
  await request("POST", invites, { token: administrator.token, body: {} });
  assert.equal((await request("DELETE", `/v1/users/${administrator.id}`)).status, 200);
  const read = async () => {
    const { body } = await request("GET", invites, { token: team.owner.token });
    return body.invites.map(({ status }: { status: string }) => status).toSorted();
  };
  await waitFor("the team to be told", async () => (await team.lastEvent()).type === "team-invite-bulk-delete");
  assert.deepEqual(await read(), ["expired", "expired", "expired"], "a revoked code is listed no longer");
});

test("an invitation by a key for which nobody is responsible ends with the key", async () => {
  const team = await openTeam(api, await createUser());
  const { token } = team.owner;
  const scope = `?teamId=${team.id}`;
  const made = await request("POST", `/v1/api-keys${scope}`, { token, body: { name: "k", role: "OWNER" } });
  const { apiKey, value } = made.body;
  // Keys that are older than the responsibility for them.
  await api.query(`update api_keys set responsible_id = null where id = '${apiKey.id}'`);
  const [first, second] = [await createUser(), await createUser()];
  for (const { id: uid } of [first, second]) {
    const body = { uid, role: "VIEWER" };
    assert.equal((await request("POST", `/v1/teams/${team.id}/members`, { token: value, body })).status, 200);
  }
  const { code } = (await request("POST", `/v1/teams/${team.id}/invites`, { token: value, body: {} })).body;
  assert.equal((await team.join(first)).status, 200);
  assert.equal((await team.join(await createUser(), code)).status, 200);
  assert.equal((await request("DELETE", `/v1/api-keys/${apiKey.id}${scope}`, { token })).status, 200);
  assert.equal((await team.join(second)).body.error?.code, "not_invited");
  assert.equal((await team.join(await createUser(), code)).body.error?.code, "invite_revoked");
});

/** A key of a team for which nobody is responsible, as of before there was such a responsibility, and whom it has invited. */
async function inviteByOrphan(team: OpenTeam) {
  const { token } = team.owner;
  const scope = `?teamId=${team.id}`;
  const { apiKey, value } = (
    await request("POST", `/v1/api-keys${scope}`, { token, body: { name: "k", role: "OWNER" } })
  ).body;
  await api.query(`update api_keys set responsible_id = null where id = '${apiKey.id}'`);
  const invited = [await createUser(), await createUser()] as const;
  for (const { id: uid } of invited) {
    const body = { uid, role: "VIEWER" };
    assert.equal((await request("POST", `/v1/teams/${team.id}/members`, { token: value, body })).status, 200);
  }
  const { code } = (await request("POST", `/v1/teams/${team.id}/invites`, { token: value, body: {} })).body;
  const adopt = async (by: TestUser) =>
    assert.equal((await request("POST", `/v1/api-keys/${apiKey.id}/adopt${scope}`, { token: by.token })).status, 200);
  return { invited, code: code as string, adopt };
}

const setAdministrator = (inviter: TestUser, admin: boolean) => setAccount(inviter, { admin });
const ADOPTERS: typeof LOSSES = {
  ...LOSSES,
  "administered the instance alone": (_team, inviter) => setAdministrator(inviter, false),
};

for (const [loss, lose] of Object.entries(ADOPTERS)) {
  test(`what a key invited with ends with the person who adopted the key and ${loss}, also when it is adopted again`, async () => {
    const team = await openTeam(api, await createUser());
    const adopter = await createUser();
    if (loss in LOSSES) await team.add(adopter, "OWNER");
    else await setAdministrator(adopter, true);
    const { invited, code, adopt } = await inviteByOrphan(team);
    const [first, second] = invited;
    await adopt(adopter);
    assert.equal((await team.join(first)).status, 200);
    assert.equal((await team.join(await createUser(), code)).status, 200);
    await lose(team, adopter);
    for (const isAdoptedAgain of [false, true]) {
      if (isAdoptedAgain) await adopt(team.owner);
      assert.equal((await team.join(second)).body.error?.code, "not_invited", `${isAdoptedAgain}`);
      assert.equal((await team.join(await createUser(), code)).body.error?.code, "invite_revoked", `${isAdoptedAgain}`);
    }
  });
}
