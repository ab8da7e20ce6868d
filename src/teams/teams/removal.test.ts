import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, TestTeam, TestUser } from "../../../test/harness/test-app.ts";

const { app, clock, request, createUser, createTeam, query, readEvents } = await startTestApp();

const remove = (user: TestUser, team: TestTeam, search = "", body?: unknown): Promise<TestResponse> =>
  request("DELETE", `/v1/teams/${team.id}${search}`, { token: user.token, ...(body === undefined ? {} : { body }) });

async function addMember(team: TestTeam, role: string, state = "member"): Promise<TestUser> {
  const user = await createUser();
  await query(
    `insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects,
       created_at, updated_at, position, user_position)
     select '${team.id}', '${user.id}', '${state}', '${role}', '{"origin":"link"}', '[]', '[]', 1, 1, max(position) + 1, 1
       from memberships where team_id = '${team.id}'`,
  );
  return user;
}

const patchDefaultTeam = (user: TestUser, team: TestTeam): Promise<TestResponse> =>
  request("PATCH", "/v2/user", { token: user.token, body: { defaultTeamId: team.id } });

async function setDefaultTeam(user: TestUser, team: TestTeam): Promise<void> {
  const { status, text } = await patchDefaultTeam(user, team);
  assert.equal(status, 200, text);
}

const defaultTeamOf = async (user: TestUser): Promise<string | null> =>
  (await request("GET", "/v2/user", { token: user.token })).body.user.defaultTeamId;

test("a deleted team is gone, and its slug is free", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const removed = await remove(owner, team);
  assert.equal(removed.status, 200);
  assert.deepEqual(removed.body, { id: team.id });
  for (const name of [team.id, team.slug]) {
    assert.equal((await request("GET", `/v2/teams/${name}`, { token: owner.token })).status, 404);
  }
  assert.equal((await remove(owner, team)).status, 404);
  const { body } = await request("GET", "/v2/teams", { token: owner.token });
  assert.deepEqual(body.teams, []);
  const again = await createTeam(await createUser(), team.slug);
  assert.notEqual(again.id, team.id);
});

test("everything of the team is deleted with it", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const order = { userId: owner.id, name: "limited", teamId: team.id };
  const limited = await app.runner.changes.issueToken(order, clock.now);
  const member = await addMember(team, "MEMBER");
  await addMember(team, "VIEWER", "invited");
  await query(`insert into declined_requests values ('${team.id}', '${member.id}', 1)`);
  await query(
    `insert into invites (id, team_id, kind, role, projects, code_hash, code_suffix, expires_at, created_by, created_at,
       updated_at, position)
     values ('i1', '${team.id}', 'code', 'MEMBER', '[]', 'h1', 's', 1, '${owner.id}', 1, 1, 1)`,
  );
  await query(
    `insert into api_keys (id, owner_id, team_id, name, role, hash, prefix, suffix, active_at, created_by, created_at,
       position)
     values ('k1', '${team.id}', '${team.id}', 'k', 'MEMBER', 'h1', 'p', 's', 1, '${owner.id}', 1, 1)`,
  );
  const tables = ["access_tokens", "api_keys", "memberships", "declined_requests", "invites"];
  const rowsIn = async (table: string) => await query(`select * from ${table} where team_id = '${team.id}'`);
  for (const table of tables) assert.notEqual((await rowsIn(table)).length, 0, table);
  assert.equal((await request("GET", "/v2/teams", { token: limited.value })).status, 200);

  assert.equal((await remove(owner, team)).status, 200);
  for (const table of tables) assert.equal((await rowsIn(table)).length, 0, table);
  assert.equal((await request("GET", "/v2/teams", { token: limited.value })).status, 401);
  assert.equal((await request("GET", "/v2/user", { token: member.token })).status, 200);
});

test("the deletion emits an event in the team's chain and in the actor's chain", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  await addMember(team, "MEMBER");
  await addMember(team, "VIEWER", "invited");
  const reasons = [{ slug: "moved", description: "to another place" }];
  assert.equal((await remove(owner, team, "", { reasons })).status, 200);
  const expected = {
    teamId: team.id,
    slug: team.slug,
    by: owner.username,
    byUid: owner.id,
    reasons,
    removedMemberCount: 2,
    timestamp: clock.now,
  };
  for (const chain of [await readEvents(team.id), await readEvents(owner.id)]) {
    const last = chain.at(-1);
    assert.equal(last?.type, "team-delete");
    assert.equal(last?.entityId, team.id);
    assert.deepEqual(last?.payload, expected);
    assert.deepEqual(last?.previous, { slug: team.slug, name: team.slug });
  }
  assert.deepEqual(
    (await readEvents(team.id)).map(({ type }) => type),
    ["team", "team-delete"],
  );
});

test("the body may be absent or empty, and accepts only reasons", async () => {
  const owner = await createUser();
  for (const body of [undefined, {}, { reasons: [] }]) {
    const team = await createTeam(owner);
    assert.equal((await remove(owner, team, "", body)).status, 200);
    const [, deletion] = await readEvents(team.id);
    assert.equal(deletion?.payload.slug, team.slug);
    assert.equal(deletion?.payload.reasons, undefined);
  }
  const team = await createTeam(owner);
  for (const [body, field] of [
    [{ reason: "x" }, "body.reason"],
    [{ reasons: "x" }, "body.reasons"],
    [{ reasons: [{ slug: "x" }] }, "body.reasons[0].description"],
  ] as const) {
    const refused = await remove(owner, team, "", body);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.error.field, field);
  }
  assert.equal((await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).status, 200);
});

test("users whose default team was deleted have none afterwards, and no other default changes", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const member = await addMember(team, "MEMBER");
  const other = await addMember(team, "MEMBER");
  await setDefaultTeam(owner, team);
  await setDefaultTeam(member, team);
  const elsewhere = await createTeam(other);
  await setDefaultTeam(other, elsewhere);
  const before = await request("GET", "/v2/user", { token: member.token });
  assert.equal((await remove(owner, team)).status, 200);
  assert.equal(await defaultTeamOf(owner), null);
  assert.equal(await defaultTeamOf(other), elsewhere.id);
  const after = await request("GET", "/v2/user", { token: member.token });
  assert.equal(after.body.user.defaultTeamId, null);
  assert.notEqual(after.headers["etag"], before.headers["etag"]);
});

test("the caller may choose the next default team, by id or slug", async () => {
  const owner = await createUser();
  const next = await createTeam(owner);
  for (const name of [next.id, next.slug]) {
    const team = await createTeam(owner);
    await setDefaultTeam(owner, team);
    const removed = await remove(owner, team, `?newDefaultTeamId=${name}`);
    assert.deepEqual(removed.body, { id: team.id });
    assert.equal(await defaultTeamOf(owner), next.id);
  }
});

test("a default team that is not another team of the caller is ignored, and the deletion succeeds", async () => {
  const owner = await createUser();
  const foreign = await createTeam(await createUser());
  for (const choice of [foreign.id, "team_000000000000000000000000", "itself"]) {
    const team = await createTeam(owner);
    await setDefaultTeam(owner, team);
    const removed = await remove(owner, team, `?newDefaultTeamId=${choice === "itself" ? team.id : choice}`);
    assert.equal(removed.status, 200);
    assert.deepEqual(removed.body, { id: team.id, newDefaultTeamIdError: true });
    assert.equal(await defaultTeamOf(owner), null);
  }
});

test("only OWNERs and administrators delete", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  for (const role of ["MEMBER", "DEVELOPER", "SECURITY", "BILLING", "VIEWER", "VIEWER_FOR_PLUS", "CONTRIBUTOR"]) {
    assert.equal((await remove(await addMember(team, role), team)).status, 403, role);
  }
  assert.equal((await remove(await createUser(), team)).status, 404);
  assert.equal((await remove(await addMember(team, "OWNER", "invited"), team)).status, 404);
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`)).status, 200);
});

test("every path that clients use deletes, by id and by slug", async () => {
  const owner = await createUser();
  for (const prefix of ["/v1", "/v2", ""]) {
    const { slug, id } = await createTeam(owner);
    const removed = await request("DELETE", `${prefix}/teams/${slug}`, { token: owner.token });
    assert.deepEqual(removed.body, { id });
  }
});

test("If-Match allows a deletion of the revision that its sender saw only", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const send = (etag: string) =>
    request("DELETE", `/v1/teams/${team.id}`, { token: owner.token, headers: { "if-match": etag } });
  assert.equal((await send('"7"')).status, 412);
  assert.equal((await send('"1"')).status, 200);
});

test("of ten concurrent deletions exactly one succeeds", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const responses = await Promise.all(Array.from({ length: 10 }, () => remove(owner, team)));
  const statuses = responses.map(({ status }) => status).toSorted();
  assert.deepEqual(statuses, [200, ...Array.from({ length: 9 }, () => 404)]);
  const deletions = (await readEvents(owner.id)).filter(({ type }) => type === "team-delete");
  assert.equal(deletions.length, 1);
});

test("a deletion concurrent with changes of the team leaves nothing behind", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const rename = (i: number) =>
    request("PATCH", `/v2/teams/${team.id}`, { token: owner.token, body: { name: `n${i}` } });
  const [deletion, choice, ...renames] = await Promise.all([
    remove(owner, team),
    patchDefaultTeam(owner, team),
    rename(0),
    rename(1),
    rename(2),
  ]);
  assert.equal(deletion.status, 200);
  assert.ok(choice.status === 200 || choice.body.error.code === "default_team_not_member", choice.text);
  for (const { status } of renames) assert.ok(status === 200 || status === 404);
  assert.equal((await readEvents(team.id)).at(-1)?.type, "team-delete");
  assert.equal(await defaultTeamOf(owner), null);
});
