// Requests share transactions on PostgreSQL, and nothing is done to an owner that was expected wrongly, or for a caller who is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { changeBehindLock } from "../../../test/harness/held-owners.ts";
import { waitFor } from "../../../test/harness/wait-for.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../test/harness/test-app.ts";

const api = await startOwnApp();

const changeTeam = (team: string, user: TestUser, name: string) =>
  api.request("PATCH", `/v2/teams/${team}`, { token: user.token, body: { name } });

test("changes of teams that are requested at the same time are committed together, also the first of a caller", async () => {
  const user = await api.createUser();
  const teams: TestTeam[] = [];
  for (let at = 0; at < 20; at++) teams.push(await api.createTeam(user));
  for (const name of ["first", "second"]) {
    const responses = await Promise.all(teams.map(({ id }) => changeTeam(id, user, name)));
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body.name]),
      teams.map(() => [200, name]),
    );
    const rows = await api.query(`select distinct xmin::text from teams where name = '${name}'`);
    assert.ok(rows.length < teams.length / 2, `${rows.length} transactions`);
  }
});

test("a change of somebody who may not see the team is refused while another transaction has the team's lock", async () => {
  const [owner, stranger] = [await api.createUser(), await api.createUser()];
  const team = await api.createTeam(owner);
  const holder = new pg.Client({ connectionString: api.settings.databaseUrl ?? undefined });
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query(`select 1 from owners where id = '${team.id}' for update`);
    for (const name of [`teamId=${team.id}`, `slug=${team.slug}`]) {
      const change = { token: stranger.token, body: { description: "mine" } };
      assert.equal((await api.request("PATCH", `/v2/secrets/A?${name}`, change)).status, 404);
    }
  } finally {
    await holder.end();
  }
});

test("a change by a slug that was given to another team changes that team", async () => {
  const user = await api.createUser();
  const [before, now] = [await api.createTeam(user), await api.createTeam(user)];
  const { slug } = before;
  for (const name of ["one", "two"]) assert.equal((await changeTeam(slug, user, name)).body.id, before.id);
  const rename = (team: TestTeam, to: string) =>
    api.request("PATCH", `/v2/teams/${team.id}`, { token: user.token, body: { slug: to } });
  assert.equal((await rename(before, `${slug}-before`)).status, 200);
  assert.equal((await rename(now, slug)).status, 200);
  const { status, body } = await changeTeam(slug, user, "three");
  assert.deepEqual([status, body.id, body.name], [200, now.id, "three"]);
});

test("a change whose slug was given to another team while it waited lets go of the lock before it takes that team's", async () => {
  const user = await api.createUser();
  const [before, now] = [await api.createTeam(user), await api.createTeam(user)];
  const holder = new pg.Client({ connectionString: api.settings.databaseUrl ?? undefined });
  await holder.connect();
  try {
    const [{ pid }] = (await holder.query("select pg_backend_pid() as pid")).rows;
    const lock = async ({ id }: TestTeam) => holder.query(`select 1 from owners where id = '${id}' for update nowait`);
    await holder.query("begin");
    await lock(now);
    const changed = changeBehindLock(api, {
      owner: before.id,
      change: () => changeTeam(before.slug, user, "changed"),
      meanwhile: [
        `update teams set slug = '${before.slug}-before' where id = '${before.id}'`,
        `update teams set slug = '${before.slug}' where id = '${now.id}'`,
      ],
    });
    await waitFor("a change that waits for the other team", async () => {
      const waiting = `select 1 from pg_stat_activity where ${pid} = any(pg_blocking_pids(pid))`;
      return (await holder.query(waiting)).rows.length > 0;
    });
    await lock(before);
    await holder.query("commit");
    const { status, body } = await changed;
    assert.deepEqual([status, body.id, body.name], [200, now.id, "changed"]);
  } finally {
    await holder.end();
  }
});
