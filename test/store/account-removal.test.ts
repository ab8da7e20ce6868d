// Deletes an account that is in many teams: it leaves all of them at once, and each gets its event in a later step.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createTeamKey, readKeys } from "../resources/api-keys.ts";
import { ENGINE, send, startOwnApp } from "../harness/test-app.ts";
import type { TestApp, TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { allStatements } from "../../src/platform/store/prepared.ts";
import type { WriteTx } from "../../src/platform/store/database.ts";
import { ownerRemoval } from "../../src/serve/composition/owner-removal.ts";
import { removeUser } from "../../src/identity/accounts/removal.ts";
import { findUser } from "../../src/identity/accounts/store.ts";
import { systemAct } from "../../src/events/events/system.ts";

/** Creates teams of an OWNER, and adds a user to each. */
async function plantTeams(
  { withStore }: TestApp,
  owner: TestUser,
  user: TestUser,
  { count, role }: { readonly count: number; readonly role: string },
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `team_${user.username}${at}`);
  await withStore(({ transaction }) =>
    transaction(async (tx) => {
      const values = (row: (id: string, at: number) => string) => ids.map((id, at) => `(${row(id, at)})`).join(", ");
      await tx.exec(`insert into owners (id, kind) values ${values((id) => `'${id}', 'team'`)}`);
      await tx.exec(`insert into teams (id, slug, creator_id, invite_code, settings, created_at, updated_at)
        values ${values((id) => `'${id}', '${id.toLowerCase()}', '${owner.id}', 'code-${id}', '{}', 0, 0`)}`);
      for (const [at, person] of [owner, user].entries()) {
        await tx.exec(`insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects,
            created_at, updated_at, position, user_position)
          values ${values((id, place) => `'${id}', '${person.id}', 'member', '${at === 0 ? "OWNER" : role}', '{"origin":"teams"}', '[]', '[]', 0, 0, ${at}, ${place}`)}`);
      }
    }),
  );
  return ids;
}

test("a deleted account is removed from a hundred teams at once, each of which gets an event", async () => {
  const world = await startOwnApp();
  const { request, createUser, query, readEvents } = world;
  const owner = await createUser();
  const user = await createUser();
  const teamIds = await plantTeams(world, owner, user, { count: 100, role: "OWNER" });
  // Ordered after all others.
  const { team, value } = await createTeamKey(world, user);
  await query(`insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects, created_at,
      updated_at, position, user_position)
    values ('${team.id}', '${owner.id}', 'member', 'OWNER', '{"origin":"teams"}', '[]', '[]', 0, 0, 1, 1000)`);
  assert.equal((await readKeys(world, value)).status, 200);

  assert.equal((await request("DELETE", "/v1/user", { token: user.token })).status, 202);
  assert.equal((await readKeys(world, value)).status, 401);
  for (const id of [...teamIds.slice(-2), team.id]) {
    for (const filter of ["", `&search=${user.username}`, "&role=OWNER"]) {
      const { body: page, text } = await request("GET", `/v2/teams/${id}/members?limit=100${filter}`);
      assert.ok(Array.isArray(page.members), text);
      assert.ok(!text.includes(user.id) && !text.includes("deleted:"), text);
    }
    // The remaining OWNER counts as the last.
    const left = await request("DELETE", `/v1/teams/${id}/members/${owner.id}`, { token: owner.token });
    assert.notEqual(left.status, 200, left.text);
  }
  await waitFor("the removal", async () => (await query("select 1 from removals")).length === 0);
  for (const id of [...teamIds, team.id]) {
    const events = await readEvents(id);
    const [told, ...more] = events.filter(({ type }) => type === "team-member-leave");
    assert.deepEqual(more, []);
    assert.equal(told?.principalId, user.id);
    assert.equal(told?.text, `${user.username} deleted account ${user.username}, which was a member`);
    assert.deepEqual(told?.payload.deletedUser, { username: user.username, email: user.email });
  }
  assert.equal(
    (await query(`select 1 from teams where invite_code like 'code-${teamIds[0]?.slice(0, 12)}%'`)).length,
    0,
  );
  const keys = await readEvents(team.id);
  assert.equal(keys.filter(({ type }) => type === "api-keys-suspended").length, 1);
  assert.deepEqual(await query(`select 1 from memberships where user_id = '${user.id}'`), []);
});

test("a step removes a deleted account from at most twenty teams, and the others follow after a restart", async () => {
  const world = await startOwnApp();
  const owner = await world.createUser();
  const user = await world.createUser();
  const stranger = await world.createUser();
  const teamIds = await plantTeams(world, owner, user, { count: 100, role: "OWNER" });
  // No other process uses the store meanwhile.
  await world.app.close();
  const inTransaction = async <T>(work: (tx: WriteTx) => Promise<T>) =>
    await world.withStore(({ transaction }) => transaction(work));
  const count = async () => (await world.query(`select 1 from memberships where user_id = '${user.id}'`)).length;
  await inTransaction(async (tx) => {
    const row = await findUser(tx, { id: user.id });
    assert.ok(row);
    await removeUser(tx, ownerRemoval, systemAct(world.clock.now), row, []);
  });
  assert.equal(await count(), 60, "the deletion itself leaves forty teams");
  await inTransaction((tx) => ownerRemoval.continue(tx, user.id, world.clock.now));
  assert.equal(await count(), 40);
  const app = await world.startAnother();
  // Whether or not its step has run.
  const linkOfLast = { inviteCode: `code-${teamIds.at(-1)}` };
  const joined = await send(app, "POST", "/v1/teams/join", { token: stranger.token, body: linkOfLast });
  assert.deepEqual([joined.status, joined.body.error?.code], [400, "invite_unknown"], joined.text);
  await waitFor("the removal", async () => (await world.query("select 1 from removals")).length === 0);
  assert.equal(await count(), 0);
  assert.equal((await send(app, "GET", "/health/ready", { token: null })).status, 200);
  for (const id of teamIds) {
    assert.deepEqual((await world.readEvents(id)).map(({ type }) => type).slice(0, 1), ["team-member-delete"]);
  }
});

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

function rowsRead(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0);
  const own = node["Actual Loops"] * (node["Actual Rows"] + removed);
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), own);
}

test("checking that each team keeps an OWNER costs PostgreSQL the same per team, also before it has statistics", async () => {
  if (ENGINE !== "postgres") return;
  const world = await startOwnApp();
  const user = await world.createUser();
  const count = 1_000;
  await plantTeams(world, await world.createUser(), user, { count, role: "OWNER" });
  const statement = allStatements().find(({ name }) => name === "members.listWithoutOtherOwner");
  assert.ok(statement);
  const { sql, bind } = statement.compiled("postgres");
  const given: Readonly<Record<string, string>> = { userId: `'${user.id}'`, limit: "1020" };
  const text = sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    const bound = bind[Number(number) - 1];
    assert.ok(bound);
    return "param" in bound ? (given[bound.param] ?? "") : `'${String(bound.value)}'`;
  });
  const [row] = await world.query(`explain (analyze, format json) ${text}`);
  assert.ok(row);
  const [explained] = row["QUERY PLAN"] as readonly [{ readonly Plan: PlanNode }];
  const rows = rowsRead(explained.Plan);
  assert.ok(rows <= 12 * count, `${rows} rows were read for ${count} teams`);
});
