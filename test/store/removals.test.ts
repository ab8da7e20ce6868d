// Deletes large teams and accounts: they are invisible from the first moment on, and their rows are deleted in steps.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { sqliteFile } from "../../src/serve/config/data-paths.ts";
import { createTeamKey, readKeys } from "../resources/api-keys.ts";
import { ENGINE, send, startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestApp, TestTeam } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { connectSqlite } from "../../src/platform/store/sqlite/sqlite.ts";
import { plantEvents } from "../resources/planted-events.ts";
import type { WriteTx } from "../../src/platform/store/database.ts";
import { ownerRemoval } from "../../src/serve/composition/owner-removal.ts";
import { OWNED, measureRemovals } from "../../src/platform/store/removals/store.ts";
import { columnName } from "../../src/platform/store/camel-case.ts";
import { removeUser } from "../../src/identity/accounts/removal.ts";
import { findUser } from "../../src/identity/accounts/store.ts";
import { systemAct } from "../../src/events/events/system.ts";

const client = await startOwnApp();
const { app, clock, request, createUser, createTeam, query, settings } = client;

const MEMBERS = 1_000;

/** Planted members: more than one step removes. */
async function plantMembers({ withStore }: TestApp, team: TestTeam): Promise<void> {
  const ids = Array.from({ length: MEMBERS }, () => uniqueName("user_planted"));
  await withStore(({ transaction }) =>
    transaction(async (tx) => {
      const values = (row: (id: string, at: number) => string) => ids.map((id, at) => `(${row(id, at)})`).join(", ");
      const [{ last } = {}] = await tx.query("select max(position) as last from users");
      const position = (at: number) => Number(last) + at + 1;
      await tx.exec(`insert into owners (id, kind) values ${values((id) => `'${id}', 'user'`)}`);
      await tx.exec(`insert into users (id, email, email_key, username, username_key, default_team_id, position, created_at, updated_at)
        values ${values((id, at) => `'${id}', '${id}', '${id}', '${id}', '${id}', '${team.id}', ${position(at)}, 0, 0`)}`);
      await tx.exec(`insert into memberships (team_id, user_id, state, role, joined_from, team_permissions, projects,
          created_at, updated_at, position, user_position)
        values ${values((id, at) => `'${team.id}', '${id}', 'member', 'MEMBER', '{"origin":"teams"}', '[]', '[]', 0, 0, ${position(at)}, 1`)}`);
    }),
  );
}

test("a large deleted team is invisible at once, and its rows are deleted in steps, also after a restart", async () => {
  const owner = await createUser();
  const { team, scope, value } = await createTeamKey(client, owner);
  await plantMembers(client, team);
  const { body: limited } = await request("POST", `/v3/user/tokens${scope}`, {
    token: owner.token,
    body: { name: "x" },
  });
  const invite = await request("POST", `/v1/teams/${team.id}/invites`, {
    token: owner.token,
    body: { role: "MEMBER" },
  });
  const { body: told } = await request("GET", `/v2/teams/${team.id}`, { token: owner.token });
  const secret = { name: "KEY", value: "v", expiresAt: clock.now + 1_000 };
  assert.equal((await request("POST", `/v2/secrets${scope}`, { token: owner.token, body: secret })).status, 200);
  await request("PATCH", "/v2/user", { token: owner.token, body: { defaultTeamId: team.id } });

  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token })).status, 200);
  for (const name of [team.id, team.slug, `deleted:${team.id}`]) {
    for (const token of [owner.token, undefined]) {
      const path = `/v2/teams/${encodeURIComponent(name)}`;
      const options = token === undefined ? {} : { token };
      assert.equal((await request("GET", path, options)).status, 404, name);
      assert.equal((await request("GET", `${path}/members`, options)).status, 404, name);
    }
  }
  assert.deepEqual((await request("GET", "/v2/teams", { token: owner.token })).body.teams, []);
  assert.equal((await readKeys(client, value)).status, 401);
  assert.equal((await request("GET", "/v2/user", { token: limited.bearerToken })).status, 401);
  assert.equal((await request("GET", "/v2/user", { token: owner.token })).body.user.defaultTeamId, null);
  const [planted] = await query(`select id from users where id like 'user_planted%' order by id desc`);
  const order = { userId: String(planted?.["id"]), name: "x" };
  const member = await app.runner.changes.issueToken(order, clock.now);
  const own = await request("GET", "/v2/user", { token: member.value });
  assert.equal(own.body.user.defaultTeamId, null);
  const renamed = await request("PATCH", "/v2/user", { token: member.value, body: { name: "Kim" } });
  assert.equal(renamed.body.user.defaultTeamId, null);
  const other = await createUser();
  for (const inviteCode of [told.inviteCode, invite.body.code, `deleted:${team.id}`]) {
    if (inviteCode === undefined) continue;
    const join = await request("POST", "/v1/teams/join", { token: other.token, body: { inviteCode } });
    assert.equal(join.body.error.code, "invite_unknown", join.text);
  }
  await createTeam(other, team.slug);

  // No notice of its secrets is emitted any more.
  const eventsBefore = (await client.readEvents(team.id)).length;
  clock.advance(8 * 86_400_000);
  for (const name of ["announceExpiry", "purgeSecrets", "endBypasses", "endAttackModes"] as const) {
    await app.runner.changes[name](null, clock.now);
  }
  assert.equal((await client.readEvents(team.id)).length, eventsBefore);
});

test("the rows of a large team are deleted in bounded steps, which continue after a restart and report their progress", async () => {
  const world = await startOwnApp();
  const owner = await world.createUser();
  const team = await world.createTeam(owner);
  await plantMembers(world, team);
  // No other process uses the store meanwhile.
  await world.app.close();
  const count = async () =>
    Number((await world.query(`select count(*) as n from memberships where team_id = '${team.id}'`))[0]?.["n"]);
  const inTransaction = async <T>(work: (tx: WriteTx) => Promise<T>) =>
    await world.withStore(({ transaction }) => transaction(work));
  await inTransaction((tx) => ownerRemoval.begin(tx, { kind: "team", ownerId: team.id }, world.clock.now));
  let before = await count();
  assert.ok(before > 0 && before < MEMBERS, `the deletion itself left ${before} of ${MEMBERS} members`);
  for (let step = 0; step < 2; step++) {
    assert.equal(await inTransaction((tx) => ownerRemoval.continue(tx, team.id, world.clock.now)), 1);
    const now = await count();
    assert.ok(now < before && before - now <= 200, `a step removed ${before - now} members`);
    before = now;
  }
  const measured = await world.withStore(async ({ reader }) => await measureRemovals(reader, { limit: 10 }));
  assert.equal(measured?.pending, 1);
  assert.equal(measured?.oldestBegunAt, world.clock.now);
  assert.ok(measured.removed >= MEMBERS + 1 - before);
  const again = await world.startAnother();
  await waitFor("the removal", async () => (await world.query("select 1 from removals")).length === 0);
  for (const { table, columns } of OWNED) {
    if (columns.team === undefined) continue;
    assert.deepEqual(
      await world.query(`select 1 from ${table} where ${columnName(columns.team)} = '${team.id}'`),
      [],
      table,
    );
  }
  assert.deepEqual(await world.query(`select 1 from teams where id = '${team.id}'`), []);
  assert.deepEqual(await world.query(`select 1 from users where default_team_id = '${team.id}'`), []);
  const { text } = await send(again, "GET", "/metrics", { token: null });
  assert.match(text, /^reeve_removals_pending 0$/m);
});

/** Tokens that expired long ago. */
async function plantTokens({ withStore }: TestApp, userId: string): Promise<void> {
  await withStore(({ transaction }) =>
    transaction(async (tx) => {
      const rows = Array.from({ length: MEMBERS }, () => uniqueName("token_planted")).map(
        (id, at) => `('${id}', '${userId}', '${id}', '${id}', 'rvt', 'x', 'manual', 1, 0, 0, ${1_000_000 + at})`,
      );
      await tx.exec(`insert into access_tokens (id, user_id, hash, name, prefix, suffix, origin, expires_at, active_at,
        created_at, position) values ${rows.join(", ")}`);
    }),
  );
}

test("a large deleted account is invisible at once, and its address and name are free", async () => {
  const user = await createUser();
  const { token } = user;
  const key = await request("POST", "/v1/api-keys", { token, body: { name: "own", role: "VIEWER" } });
  assert.equal(key.status, 200, key.text);
  const secret = { name: "KEY", value: "v", expiresAt: clock.now + 1_000 };
  assert.equal((await request("POST", "/v2/secrets", { token, body: secret })).status, 200);
  const owner = await createUser();
  const team = await createTeam(owner);
  const body = { uid: user.id, role: "MEMBER" };
  await plantTokens(client, user.id);
  assert.equal((await request("DELETE", "/v1/user", { token })).status, 202);

  for (const value of [token, key.body.value]) {
    assert.equal((await request("GET", "/v2/user", { token: value })).status, 401);
  }
  for (const method of ["GET", "PATCH", "DELETE"] as const) {
    const response = await request(
      method,
      `/v1/users/${user.id}`,
      method === "PATCH" ? { body: { suspended: false } } : {},
    );
    assert.equal(response.status, 404, method);
  }
  const gone = `deleted:${user.id}`;
  for (const filter of [
    "",
    `search=${user.username}`,
    `search=${gone}`,
    `username=${user.username}`,
    `username=${gone}`,
  ]) {
    const { users } = (await request("GET", `/v1/users?limit=100&${filter}`)).body;
    assert.ok(!users.some(({ id }: { id: string }) => id === user.id), filter);
  }
  const added = await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body });
  assert.equal(added.status, 404, added.text);
  const again = await request("POST", "/v1/users", { body: { email: user.email, username: user.username } });
  assert.equal(again.status, 200, again.text);
  // No notice of its secrets is emitted any more.
  const eventsBefore = (await client.readEvents(user.id)).length;
  clock.advance(8 * 86_400_000);
  for (const name of ["announceExpiry", "purgeSecrets"] as const) await app.runner.changes[name](null, clock.now);
  assert.equal((await client.readEvents(user.id)).length, eventsBefore);
});

test("the rows of a large account are deleted in bounded steps, which continue after a restart", async () => {
  const world = await startOwnApp();
  const user = await world.createUser();
  const team = await world.createTeam(await world.createUser());
  await world.request("POST", `/v1/teams/${team.id}/members`, { body: { uid: user.id, role: "MEMBER" } });
  await plantTokens(world, user.id);
  // No other process uses the store meanwhile.
  await world.app.close();
  const count = async () =>
    Number((await world.query(`select count(*) as n from access_tokens where user_id = '${user.id}'`))[0]?.["n"]);
  const inTransaction = async <T>(work: (tx: WriteTx) => Promise<T>) =>
    await world.withStore(({ transaction }) => transaction(work));
  await inTransaction(async (tx) => {
    const row = await findUser(tx, { id: user.id });
    assert.ok(row);
    await removeUser(tx, ownerRemoval, systemAct(world.clock.now), row, []);
  });
  let before = await count();
  assert.ok(before > 0 && before < MEMBERS, `the deletion itself left ${before} of ${MEMBERS} tokens`);
  assert.deepEqual(await world.query(`select 1 from memberships where user_id = '${user.id}'`), []);
  for (let step = 0; step < 2; step++) {
    assert.equal(await inTransaction((tx) => ownerRemoval.continue(tx, user.id, world.clock.now)), 1);
    const now = await count();
    assert.ok(now < before && before - now <= 200, `a step removed ${before - now} tokens`);
    before = now;
  }
  await world.startAnother();
  await waitFor("the removal", async () => (await world.query("select 1 from removals")).length === 0);
  for (const { table, columns } of OWNED) {
    if (columns.user === undefined) continue;
    assert.deepEqual(
      await world.query(`select 1 from ${table} where ${columnName(columns.user)} = '${user.id}'`),
      [],
      table,
    );
  }
  assert.deepEqual(await world.query(`select 1 from users where id = '${user.id}'`), []);
});

test("a user who requests access while the account is deleted does not become a member", async () => {
  const user = await createUser();
  const owner = await createUser();
  const team = await createTeam(owner);
  await plantTokens(client, user.id);
  const asking = await client.withStore(({ transaction }) =>
    transaction(async (tx) => {
      const row = await findUser(tx, { id: user.id });
      assert.ok(row);
      await removeUser(tx, ownerRemoval, systemAct(clock.now), row, []);
      const body = { joinedFrom: { origin: "import" } };
      const response = request("POST", `/v1/teams/${team.id}/request`, { token: user.token, body });
      const isWaiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      if (ENGINE === "postgres") await waitFor("the lock", async () => (await query(isWaiting)).length > 0);
      return { response };
    }),
  );
  assert.ok([401, 404].includes((await asking.response).status), (await asking.response).text);
  assert.deepEqual(await query(`select 1 from memberships where user_id = '${user.id}'`), []);
});

test("every table that refers to teams or accounts, directly or indirectly, is among the emptied ones", async () => {
  if (ENGINE !== "sqlite") return;
  const references = await query(`select t.name as "from", f."table" as "to" from sqlite_schema t
    join pragma_foreign_key_list(t.name) f where t.type = 'table' and f.on_delete = 'CASCADE'`);
  const listed = new Set<string>(OWNED.map(({ table }) => table));
  // These are few for each row that they go with.
  const together = new Set(["secret_names", "secret_tags", "secret_versions", "webhook_secrets", "webhook_replays"]);
  const owned = new Set(["teams", "users", "projects", "firewalls", ...listed]);
  for (const { from, to } of references) {
    if (!owned.has(String(to))) continue;
    assert.ok(listed.has(String(from)) || together.has(String(from)), `${String(from)} refers to ${String(to)}`);
  }
  assert.ok(settings.databaseUrl === null);
});

if (ENGINE === "sqlite") {
  test("the write-ahead log of a large removal during a long read is truncated afterwards", async () => {
    const cutBackTo = 32 * 1024 * 1024;
    const owner = await createUser();
    const team = await createTeam(owner);
    const file = sqliteFile(settings);
    const logBytes = () => statSync(`${file}-wal`).size;
    const { db } = connectSqlite(file, "read");
    // A reader prevents a restart of the log.
    db.exec("begin; select count(*) from teams");
    const events = Array.from({ length: 50 }, () => ({ payload: { text: "x".repeat(250_000) } }));
    for (let round = 0; round < 3; round++) {
      await client.withStore((store) => plantEvents(store, team.id, clock.now, events));
    }
    assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token })).status, 200);
    while ((await app.runner.changes.continueRemoval(team.id, clock.now)) !== 0);
    assert.ok(logBytes() > cutBackTo, `${logBytes()} bytes`);
    db.exec("commit");
    db.close();
    for (let commits = 0; commits < 3; commits++) await createTeam(owner);
    assert.ok(logBytes() <= cutBackTo, `${logBytes()} bytes`);
  });
}
