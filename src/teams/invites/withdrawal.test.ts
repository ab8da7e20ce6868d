// When codes stop that somebody was shown who may no longer invite.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";
import { TEAM_ROLES } from "../../platform/kernel/roles.ts";
import { mayStillInvite } from "./rules.ts";

const api = await startTestApp();
const { createUser, request } = api;

const newTeam = async () => await openTeam(api, await createUser());
const eventsOf = async (team: OpenTeam) =>
  (await api.query(`select type from events where owner_id = '${team.id}' order by sequence`)).map(
    (row) => row["type"] as string,
  );

test("the codes that a user created or renewed end with the user's right to invite", async () => {
  const team = await newTeam();
  const [leaver, heir] = [await createUser(), await createUser()];
  await team.add(leaver, "OWNER");
  const create = async ({ token }: TestUser, headers = {}) =>
    (await request("POST", `/v1/teams/${team.id}/invites`, { token, headers, body: { role: "OWNER" } })).body;
  const keyed = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: leaver.token,
    body: { name: "k", role: "OWNER" },
  });
  const apiKey = Object.values(keyed.body).find((value) => String(value).startsWith("rvk_")) as string;
  const own = await create(leaver);
  const byKey = await request("POST", `/v1/teams/${team.id}/invites`, {
    token: null,
    headers: { "x-api-key": apiKey },
    body: { role: "OWNER" },
  });
  const others = await create(team.owner);
  const taken = await create(team.owner);
  const renew = (id: string, { token }: TestUser) =>
    request("POST", `/v1/teams/${team.id}/invites/${id}/resend`, { token });
  const renewedByLeaver = (await renew(taken.invite.id, leaver)).body.code;
  const given = await create(leaver);
  const renewedByOwner = (await renew(given.invite.id, team.owner)).body.code;

  assert.equal((await team.change(leaver, { role: "VIEWER" })).status, 200);
  const loss = ["api-keys-suspended", "team-invite-code-reset", "team-invite-bulk-delete"];
  assert.deepEqual((await eventsOf(team)).slice(-4), ["team-member-role-update", ...loss]);
  assert.equal((await team.lastEvent()).payload.deletedCount, 3);
  for (const code of [own.code, byKey.body.code, renewedByLeaver]) {
    assert.equal((await team.join(heir, code)).body.error.code, "invite_revoked");
  }
  for (const code of [others.code, renewedByOwner]) {
    assert.equal((await team.join(await createUser(), code)).status, 200);
  }
});

test("an OWNER and an administrator may still invite, and nobody else", () => {
  const inviting = TEAM_ROLES.filter((role) => mayStillInvite({ isAdmin: false, role }));
  assert.deepEqual(inviting, ["OWNER"]);
  for (const role of [null, "VIEWER"] as const) assert.ok(mayStillInvite({ isAdmin: true, role }));
  assert.ok(!mayStillInvite({ isAdmin: false, role: null }));
});

test("one event tells which codes and which invitations ended, whether there are some of both or of one kind", async () => {
  for (const [codes, invitations] of [
    [1, 1],
    [2, 0],
    [0, 1],
    [0, 0],
  ] as const) {
    const team = await newTeam();
    const leaver = await createUser();
    await team.add(leaver, "OWNER");
    for (let at = 0; at < codes; at++) await request("POST", `/v1/teams/${team.id}/invites`, { token: leaver.token });
    for (let at = 0; at < invitations; at++) {
      const body = { uid: (await createUser()).id };
      await request("POST", `/v1/teams/${team.id}/members`, { token: leaver.token, body });
    }
    await team.change(leaver, { role: "VIEWER" });
    const ended = codes + invitations > 0;
    const { type, payload } = await team.lastEvent();
    assert.equal(type === "team-invite-bulk-delete", ended, type);
    if (!ended) continue;
    const { deletedCount, inviteIds, expiredCount, expiredInviteIds } = payload;
    assert.deepEqual(
      [deletedCount, inviteIds.length, expiredCount, expiredInviteIds.length],
      [codes, codes, invitations, invitations],
    );
  }
});

test("codes that a key received end with the user responsible for the key at that time, whatever happens to the key", async () => {
  const fates = [
    ["DELETE", ""],
    ["POST", "/adopt"],
    ["POST", "/rotate"],
  ] as const;
  for (const [method, fate] of fates) {
    const team = await newTeam();
    const leaver = await createUser();
    await team.add(leaver, "OWNER");
    const keyed = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
      token: leaver.token,
      body: { name: "k", role: "OWNER" },
    });
    const byKey = { token: keyed.body.value, body: { role: "OWNER" } };
    const made = await request("POST", `/v1/teams/${team.id}/invites`, byKey);
    const others = await request("POST", `/v1/teams/${team.id}/invites`, { token: team.owner.token, body: {} });
    const renewed = await request("POST", `/v1/teams/${team.id}/invites/${others.body.invite.id}/resend`, {
      token: keyed.body.value,
    });
    const path = `/v1/api-keys/${keyed.body.apiKey.id}${fate}?teamId=${team.id}`;
    assert.equal((await request(method, path, { token: team.owner.token })).status, 200);
    assert.equal((await team.remove(leaver)).status, 200);
    for (const { body } of [made, renewed]) {
      const joined = await team.join(await createUser(), body.code);
      assert.equal(joined.body.error?.code, "invite_revoked", `${method} ${fate}`);
    }
  }
});

test("codes of a user who is not a member work while the user administers the instance, and end with a suspension", async () => {
  const setAccount = async ({ id }: TestUser, body: object) =>
    assert.equal((await request("PATCH", `/v1/users/${id}`, { body })).status, 200);
  const create = async (team: OpenTeam, { token }: TestUser) =>
    (await request("POST", `/v1/teams/${team.id}/invites`, { token, body: { role: "OWNER" } })).body;
  const joinWith = async (team: OpenTeam, code: string) => {
    const joined = await team.join(await createUser(), code);
    return joined.status === 200 ? "in" : joined.body.error.code;
  };
  const team = await newTeam();
  const [demoted, deleted, paused, both] = [
    await createUser(),
    await createUser(),
    await createUser(),
    await createUser(),
  ];
  for (const user of [demoted, deleted, both]) await setAccount(user, { admin: true });
  for (const user of [paused, both]) await team.add(user, "OWNER");
  const made = { demoted: await create(team, demoted), deleted: await create(team, deleted) };
  const ofPaused = await create(team, paused);
  const ofBoth = await create(team, both);
  const keyed = await request("POST", `/v1/api-keys?teamId=${team.id}`, {
    token: demoted.token,
    body: { name: "k", role: "OWNER" },
  });
  const byKey = await create(team, { ...demoted, token: keyed.body.value });
  await setAccount(demoted, { name: "Ada" });
  assert.deepEqual([await joinWith(team, made.demoted.code), await joinWith(team, byKey.code)], ["in", "in"]);
  const { id } = (await create(team, demoted)).invite;
  const renewed = await request("POST", `/v1/teams/${team.id}/invites/${id}/resend`, { token: team.owner.token });

  for (const user of [demoted, both]) await setAccount(user, { admin: false });
  assert.equal((await request("DELETE", `/v1/users/${deleted.id}`)).status, 200);
  await setAccount(paused, { suspended: true });
  for (const { code } of [made.demoted, made.deleted, byKey, ofPaused]) {
    assert.equal(await joinWith(team, code), "invite_revoked");
  }
  assert.equal(await joinWith(team, ofBoth.code), "in", "an OWNER without that right still invites");
  await setAccount(demoted, { admin: true });
  assert.equal(await joinWith(team, made.demoted.code), "invite_revoked", "nor does it come back with that right");
  await setAccount(paused, { suspended: false });
  assert.equal(await joinWith(team, ofPaused.code), "invite_revoked", "a code does not come back with the account");
  assert.equal(await joinWith(team, renewed.body.code), "in", "whom it was shown to last counts");
});
