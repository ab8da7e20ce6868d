import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, createTeamKey, readKeys } from "../../../test/resources/api-keys.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../test/harness/test-app.ts";
import { ORIGIN } from "../../../test/sign-in/sign-in-with-identity.ts";
import { membersRemoval } from "../../teams/members/removal/account-removal.ts";
import { SYSTEM_CALLER } from "../../events/events/system.ts";

const client = await startTestApp();
const { request, clock, admin, createUser, createTeam, readEvents, query, withStore } = client;

/** Puts a user into a team in whatever state, as if they had come there. */
async function enrol(team: TestTeam, user: TestUser, role: string, state = "member"): Promise<void> {
  await query(
    `insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects,
       created_at, updated_at, position, user_position)
     select team_id, '${user.id}', '${state}', '${role}', '{"origin":"teams"}', '[]', '[]', 0, 0, max(position) + 1,
       (select count(*) + 1 from memberships where user_id = '${user.id}')
     from memberships where team_id = '${team.id}' group by team_id`,
  );
}

async function lastEvent(ownerId: string) {
  return (await readEvents(ownerId)).at(-1);
}

test("a member who deletes the account leaves each team, and each team's events say so", async () => {
  const owner = await createUser();
  const user = await createUser();
  const teams = [await createTeam(owner), await createTeam(owner)];
  for (const team of teams) await enrol(team, user, "DEVELOPER");
  assert.equal((await request("DELETE", "/v1/user", { token: user.token })).status, 202);
  for (const team of teams) {
    const event = await lastEvent(team.id);
    assert.equal(event?.type, "team-member-leave");
    assert.equal(event?.entityId, user.id);
    assert.deepEqual(event?.payload, {
      deletedUid: user.id,
      deletedUser: { username: user.username, email: user.email },
      role: "DEVELOPER",
      reason: "account deleted",
    });
    assert.deepEqual(event?.previous, { state: "member", role: "DEVELOPER" });
  }
  assert.deepEqual(await query(`select 1 from memberships where user_id = '${user.id}'`), []);
});

test("an account that an administrator deletes is removed from its teams, and its invitations are withdrawn", async () => {
  const owner = await createUser();
  for (const [state, was] of [
    ["member", "was a member"],
    ["invited", "had been invited"],
    ["requested", "had been requested"],
  ] as const) {
    const team = await createTeam(owner);
    const user = await createUser();
    await enrol(team, user, "VIEWER", state);
    assert.equal((await request("DELETE", `/v1/users/${user.id}`)).status, 200);
    const event = await lastEvent(team.id);
    assert.equal(event?.text, `${admin.username} deleted account ${user.username}, which ${was}`);
    assert.equal(event?.type, "team-member-delete");
    assert.equal(event?.principalId, admin.id);
    assert.deepEqual(event?.previous, { state, role: "VIEWER" });
  }
});

test("the join link of a team stays when an account is deleted that was to be an OWNER, and was none yet", async () => {
  const team = await createTeam(await createUser());
  for (const state of ["invited", "requested"]) {
    const user = await createUser();
    await enrol(team, user, "OWNER", state);
    assert.equal((await request("DELETE", `/v1/users/${user.id}`)).status, 200);
    assert.equal((await lastEvent(team.id))?.type, "team-member-delete");
  }
});

test("a deleted account leaves each of many teams once", async () => {
  const [owner, user] = [await createUser(), await createUser()];
  const teams = 25;
  for (let made = 0; made < teams; made++) await enrol(await createTeam(owner), user, "VIEWER");
  assert.equal((await request("DELETE", `/v1/users/${user.id}`)).status, 200);
  const left = await query(
    `select count(*) as n from events where type = 'team-member-delete' and entity_id = '${user.id}'`,
  );
  assert.equal(Number(left[0]?.["n"]), teams);
});

test("a deleted account adds no event to a team that was deleted before", async () => {
  const [owner, user] = [await createUser(), await createUser()];
  const team = await createTeam(owner);
  await enrol(team, user, "VIEWER");
  // As while the rows of a large team are being deleted.
  await query(`insert into removals (owner_id, begun_at, removed) values ('${team.id}', 0, 0)`);
  const before = await readEvents(team.id);
  assert.equal((await request("DELETE", `/v1/users/${user.id}`)).status, 200);
  assert.deepEqual(await readEvents(team.id), before);
  await query(`delete from removals where owner_id = '${team.id}'`);
});

test("keys that an administrator made in other people's teams end with the administrator's account", async () => {
  const [owner, maker] = [await createUser(), await createUser()];
  await request("PATCH", `/v1/users/${maker.id}`, { body: { admin: true } });
  const team = await createTeam(owner);
  const { body } = await createKey(client, maker.token, `?teamId=${team.id}`);
  assert.equal((await readKeys(client, body.value)).status, 200);
  assert.equal((await request("DELETE", `/v1/users/${maker.id}`)).status, 200);
  assert.equal((await readKeys(client, body.value)).status, 401);
  assert.equal((await lastEvent(team.id))?.type, "api-keys-suspended");
});

test("a step leaves no more teams than it may, those with keys and open codes of the account included", async () => {
  const [owner, maker] = [await createUser(), await createUser()];
  await request("PATCH", `/v1/users/${maker.id}`, { body: { admin: true } });
  const [first, second, third] = [await createTeam(owner), await createTeam(owner), await createTeam(owner)];
  await enrol(first, maker, "VIEWER");
  for (const team of [second, third]) await createKey(client, maker.token, `?teamId=${team.id}`);
  const [open, used] = [await createTeam(owner), await createTeam(owner)];
  for (const team of [open, used]) {
    const made = await request("POST", `/v1/teams/${team.id}/invites`, { token: maker.token, body: { maxUses: 1 } });
    assert.equal(made.status, 200, made.text);
  }
  await query(`update invites set uses = 1 where team_id = '${used.id}'`);
  const removal = { user: maker, caller: SYSTEM_CALLER, origin: ORIGIN };
  const leave = membersRemoval.leave as NonNullable<typeof membersRemoval.leave>;
  const step = () => withStore(({ transaction }) => transaction((tx) => leave(tx, removal, 2, clock.now)));
  assert.deepEqual([await step(), await step(), await step()], [2, 2, 0]);
});

test("an OWNER may leave if another OWNER stays; an invited OWNER does not count", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const other = await createUser();
  await enrol(team, other, "OWNER", "invited");
  assert.equal((await request("DELETE", "/v1/user", { token: user.token })).body.error.code, "sole_owner");
  await query(`update memberships set state = 'member' where user_id = '${other.id}'`);
  // Nor does one who may not sign in look after a team.
  await request("PATCH", `/v1/users/${other.id}`, { body: { suspended: true } });
  assert.equal((await request("DELETE", "/v1/user", { token: user.token })).body.error.code, "sole_owner");
  await request("PATCH", `/v1/users/${other.id}`, { body: { suspended: false } });
  assert.equal((await request("DELETE", "/v1/user", { token: user.token })).status, 202);
});

test("the refusal names twenty teams and counts up to a thousand others", async () => {
  const user = await createUser();
  const team = await createTeam(user);
  const plant = async (from: number, to: number) =>
    await withStore(({ transaction }) =>
      transaction(async (tx) => {
        const numbers = Array.from({ length: to - from }, (_, at) => from + at);
        const values = (row: (id: string, at: number) => string) =>
          numbers.map((at) => `(${row(`'${team.id}_${at}'`, at)})`).join(", ");
        await tx.exec(`insert into owners (id, kind) values ${values((id) => `${id}, 'team'`)}`);
        await tx.exec(`insert into teams (id, slug, creator_id, invite_code, settings, created_at, updated_at)
          values ${values((id) => `${id}, ${id}, '${user.id}', ${id}, '{}', 0, 0`)}`);
        await tx.exec(`insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects,
          created_at, updated_at, position, user_position)
          values ${values((id, at) => `${id}, '${user.id}', 'member', 'OWNER', '{}', '[]', '[]', 0, 0, 1, ${at}`)}`);
      }),
    );
  const refuse = async () => {
    const { status, body } = await request("DELETE", "/v1/user", { token: user.token });
    assert.equal(status, 409);
    return body.error;
  };
  const one = await refuse();
  assert.deepEqual([one.teams.length, one.more], [1, 0]);
  assert.ok(one.message.includes(` is the only OWNER of ${one.teams[0].slug}: `), one.message);
  await plant(1, 30);
  const few = await refuse();
  assert.deepEqual([few.teams.length, few.more], [20, 10]);
  assert.match(few.message, / and 10 others: /);
  await plant(30, 2_000);
  const many = await refuse();
  assert.deepEqual([many.teams.length, many.more], [20, 1_000]);
  assert.match(many.message, / and 1000 or more others: /);
});

test("of ten OWNERS who delete their accounts at once one stays", async () => {
  const owners = await Promise.all(Array.from({ length: 10 }, () => createUser()));
  const [first, ...others] = owners as [TestUser, ...TestUser[]];
  const team = await createTeam(first);
  for (const other of others) await enrol(team, other, "OWNER");
  const responses = await Promise.all(owners.map(({ token }) => request("DELETE", "/v1/user", { token })));
  const refused = responses.filter(({ status }) => status !== 202);
  assert.equal(refused.length, 1, JSON.stringify(responses.map(({ status }) => status)));
  assert.equal(refused[0]?.body.error.code, "sole_owner");
  const left = (await readEvents(team.id)).filter(({ type }) => type === "team-member-leave");
  assert.equal(left.length, 9);
});

test("a team's keys and the tokens limited to it are deleted with the team", async () => {
  const user = await createUser();
  const { team, scope, value } = await createTeamKey(client, user);
  const limited = await request("POST", `/v3/user/tokens${scope}`, { token: user.token, body: { name: "x" } });
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: user.token })).status, 200);
  assert.equal((await readKeys(client, value)).status, 401);
  assert.equal((await request("GET", "/v2/user", { token: limited.body.bearerToken })).status, 401);
});
