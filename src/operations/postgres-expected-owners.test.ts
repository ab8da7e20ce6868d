// Requests share transactions on PostgreSQL once their owners are known, and nothing is done to an owner that was expected wrongly.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../test/harness/test-app.ts";

const api = await startOwnApp();

const changeTeam = (team: string, user: TestUser, name: string) =>
  api.request("PATCH", `/v2/teams/${team}`, { token: user.token, body: { name } });

test("changes of teams that are requested at the same time are committed together, once their owners are known", async () => {
  const user = await api.createUser();
  const teams: TestTeam[] = [];
  for (let at = 0; at < 20; at++) teams.push(await api.createTeam(user));
  for (const name of ["first", "second"]) {
    const responses = await Promise.all(teams.map(({ id }) => changeTeam(id, user, name)));
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body.name]),
      teams.map(() => [200, name]),
    );
  }
  const rows = await api.query("select distinct xmin::text from teams where name = 'second'");
  assert.ok(rows.length < teams.length / 2, `${rows.length} transactions`);
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
