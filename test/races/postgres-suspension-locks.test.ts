// What ends with an account is looked up under the lock of each team: what others changed meanwhile counts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { createKey } from "../resources/api-keys.ts";
import { openTeam } from "../resources/teams.ts";

const api = await startOwnApp();
const { createUser, query, request } = api;

test("a key that was deleted meanwhile is not suspended with the person responsible for it", async () => {
  const person = await createUser();
  const team = await api.createTeam(person);
  await createKey(api, person.token, `?teamId=${team.id}`);
  await changeBehindLock(api, {
    owner: team.id,
    change: () => request("PATCH", `/v1/users/${person.id}`, { body: { suspended: true } }),
    meanwhile: [`delete from api_keys where team_id = '${team.id}'`],
  });
  const types = (await api.readEvents(team.id)).map(({ type }) => type);
  assert.ok(!types.some((type) => /suspend/.test(type)), types.join());
});

test("a key that was deleted meanwhile is not suspended with the account of its maker", async () => {
  const maker = await createUser();
  await query(`update users set is_admin = 1 where id = '${maker.id}'`);
  const team = await api.createTeam(await createUser());
  const { status, text } = await createKey(api, maker.token, `?teamId=${team.id}`);
  assert.equal(status, 200, text);
  await changeBehindLock(api, {
    owner: team.id,
    change: () => request("DELETE", `/v1/users/${maker.id}`),
    meanwhile: [`delete from api_keys where team_id = '${team.id}'`],
  });
  const types = (await api.readEvents(team.id)).map(({ type }) => type);
  assert.ok(!types.some((type) => /suspend/.test(type)), types.join());
});

test("a code that a person has renewed meanwhile ends with the suspension of the account, also after it", async () => {
  const person = await createUser();
  const team = await openTeam(api, await createUser());
  await team.add(person, "OWNER");
  const create = async (token: string) => (await request("POST", `/v1/teams/${team.id}/invites`, { token })).body;
  await create(person.token);
  const { code, invite } = await create(team.owner.token);
  const suspend = (suspended: boolean) => request("PATCH", `/v1/users/${person.id}`, { body: { suspended } });
  await changeBehindLock(api, {
    owner: team.id,
    change: () => suspend(true),
    meanwhile: [`update invites set issued_to = '${person.id}' where id = '${invite.id}'`],
  });
  await suspend(false);
  assert.equal((await team.join(await createUser(), code)).body.error?.code, "invite_revoked");
});
