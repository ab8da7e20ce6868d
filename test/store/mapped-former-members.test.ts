// Former members who were noted before it was noted whether their membership belonged to a role mapping.
import assert from "node:assert/strict";
import { test } from "node:test";
import { mappedFormerMembers } from "../../src/platform/store/migrations/0036-mapped-former-members.ts";
import { statementsOf } from "../../src/platform/store/migrations/migrate.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";
import { newIdentity, signInWithIdentity } from "../sign-in/sign-in-with-identity.ts";

const api = await startOwnApp();
const { createUser, query, request } = api;

test("an upgrade finds whose membership a mapping has ended", async () => {
  const team = await openTeam(api, await createUser());
  const identity = newIdentity();
  for (const role of ["MEMBER", null] as const) {
    await signInWithIdentity(api, identity, { roles: { isAdministrator: null, teams: [{ team: team.id, role }] } });
  }
  const { session } = await signInWithIdentity(api, identity);
  const [left, removed] = [await createUser(), await createUser()];
  for (const user of [left, removed]) await team.add(user, "MEMBER");
  await team.remove(left, left);
  await team.remove(removed);

  await query("alter table former_members drop column is_mapped");
  for (const statement of statementsOf(mappedFormerMembers, ENGINE)) await query(statement);
  const url = `/v2/teams/${team.id}`;
  const { inviteCode } = (await request("GET", url, { token: team.owner.token })).body;
  const join = async (credential: object) =>
    (await request("POST", "/v1/teams/join", { ...credential, body: { inviteCode } })).body.confirmed;
  assert.deepEqual(
    [await join({ session }), await join({ token: left.token }), await join({ token: removed.token })],
    [false, undefined, false],
  );
  const rows = await query("select is_mapped from former_members order by ended_at, is_mapped desc");
  assert.deepEqual(
    rows.map((row) => row["is_mapped"]),
    [1, 0, 0],
  );
});
