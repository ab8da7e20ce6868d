// Ten concurrent calls of which only one, or all but one, may succeed.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestResponse, TestUser } from "../harness/test-app.ts";
import { patiently } from "../harness/wait-for.ts";
import { openTeam } from "../resources/teams.ts";

const client = await startOwnApp();
const api = { ...client, request: patiently(client.request) };
const { createUser, request } = api;

const ten = () => Promise.all(Array.from({ length: 10 }, () => createUser()));
const codes = (responses: readonly TestResponse[]) =>
  responses.map(({ status, body }) => (status === 200 ? "ok" : body.error.code)).toSorted();
const oneOf = (refusal: string) => [...Array.from({ length: 9 }, () => refusal), "ok"].toSorted();

test("ten concurrent joins with a code for one: one succeeds", async () => {
  const team = await openTeam(api, await createUser());
  const { code } = (
    await request("POST", `/v1/teams/${team.id}/invites`, { token: team.owner.token, body: { maxUses: 1 } })
  ).body;
  const people = await ten();
  assert.deepEqual(codes(await Promise.all(people.map((person) => team.join(person, code)))), oneOf("invite_used_up"));
  assert.equal((await team.list()).members.length, 2);
});

test("ten concurrent joins of one user: one succeeds, and counts as one use", async () => {
  const team = await openTeam(api, await createUser());
  const { code, invite } = (
    await request("POST", `/v1/teams/${team.id}/invites`, { token: team.owner.token, body: { maxUses: 5 } })
  ).body;
  const person = await createUser();
  const responses = await Promise.all(Array.from({ length: 10 }, () => team.join(person, code)));
  assert.deepEqual(codes(responses), oneOf("already_member"));
  const { invites } = (await request("GET", `/v1/teams/${team.id}/invites`, { token: team.owner.token })).body;
  assert.deepEqual([invites[0].id, invites[0].uses], [invite.id, 1]);
});

async function teamOfTenOwners() {
  const owners = await ten();
  const [first, ...others] = owners as [TestUser, ...TestUser[]];
  const team = await openTeam(api, first);
  for (const owner of others) await team.add(owner, "OWNER");
  return { team, owners };
}

test("ten owners leave, step down, or remove each other at once: one OWNER stays", async () => {
  const attempts = [
    (team: Awaited<ReturnType<typeof teamOfTenOwners>>["team"], owner: TestUser) => team.remove(owner, owner),
    (team: Awaited<ReturnType<typeof teamOfTenOwners>>["team"], owner: TestUser) =>
      team.change(owner, { role: "MEMBER" }, owner),
  ];
  for (const attempt of attempts) {
    const { team, owners } = await teamOfTenOwners();
    const responses = await Promise.all(owners.map((owner) => attempt(team, owner)));
    assert.equal(responses.filter(({ status }) => status === 200).length, 9);
    assert.deepEqual(
      responses.filter(({ status }) => status !== 200).map(({ body }) => body.error.code),
      ["last_owner"],
    );
    const { members } = (await request("GET", `/v2/teams/${team.id}/members?role=OWNER`, { token: api.admin.token }))
      .body;
    assert.equal(members.length, 1);
  }
  const { team, owners } = await teamOfTenOwners();
  const next = (index: number) => owners[(index + 1) % owners.length] as TestUser;
  await Promise.all(owners.map((owner, index) => team.remove(next(index), owner)));
  const { members } = (await request("GET", `/v2/teams/${team.id}/members?role=OWNER`)).body;
  assert.ok(members.length >= 1);
});

test("ten concurrent invitations of one address: one succeeds", async () => {
  const team = await openTeam(api, await createUser());
  const responses = await Promise.all(Array.from({ length: 10 }, () => team.invite({ email: "one@example.com" })));
  assert.deepEqual(codes(responses), oneOf("already_invited"));
  assert.equal((await team.list()).emailInviteCodes.length, 1);
});

test("one user is invited to ten teams and requests access to ten others at once", async () => {
  const owners = await ten();
  const person = await createUser();
  const teams = await Promise.all([...owners, ...owners].map((owner) => openTeam(api, owner)));
  const responses = await Promise.all(
    teams.map((team, index) => (index < 10 ? team.invite({ uid: person.id }) : team.ask(person))),
  );
  assert.deepEqual(new Set(codes(responses)), new Set(["ok"]));
});
