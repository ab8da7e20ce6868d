// A change of several teams locks them in one rising order, so that two such changes wait for each other and never deadlock: while it
// waits for a team, those that come after it are free.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { MappedRoles } from "../../src/identity/methods/identities/sign-in.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { startOwnApp } from "../harness/test-app.ts";
import { newIdentity, signInWithIdentity } from "../sign-in/sign-in-with-identity.ts";

const api = await startOwnApp();
const { createTeam, createUser, query, readEvents, request } = api;

/** Two teams of somebody else, in the order in which teams are locked. */
async function openTeams() {
  const owner = await createUser();
  const ids = [(await createTeam(owner)).id, (await createTeam(owner)).id];
  const [low, high] = ids.toSorted() as [string, string];
  return { low, high };
}

/** Runs a change while the lower team is held, and looks whether the higher one is free then. */
async function assertRising<T>({ low, high }: { low: string; high: string }, change: () => Promise<T>): Promise<T> {
  const meanwhile = [`select 1 from owners where id = '${high}' for update nowait`];
  return await changeBehindLock(api, { owner: low, change, meanwhile });
}

const typesOf = async (owner: string) => (await readEvents(owner)).map(({ type }) => type);
const makeKey = async (teamId: string, as: object) => {
  const body = { name: "k", role: "OWNER" };
  const made = await request("POST", `/v1/api-keys?teamId=${teamId}`, { ...as, body });
  assert.equal(made.status, 200, made.text);
};
const makeCode = async (teamId: string, as: object) => {
  const made = await request("POST", `/v1/teams/${teamId}/invites`, { ...as, body: {} });
  assert.equal(made.status, 200, made.text);
};

for (const [text, body] of [
  ["the suspension of an account", { suspended: true }],
  ["the end of the right to administer", { admin: false }],
] as const) {
  test(`${text} locks teams with keys and teams with invites in one order`, async () => {
    const teams = await openTeams();
    const person = await createUser();
    await query(`update users set is_admin = 1 where id = '${person.id}'`);
    await makeKey(teams.high, { token: person.token });
    await makeCode(teams.low, { token: person.token });
    const { status } = await assertRising(teams, () => request("PATCH", `/v1/users/${person.id}`, { body }));
    assert.equal(status, 200);
    assert.equal((await typesOf(teams.high)).at(-1), "api-keys-suspended");
    assert.equal((await typesOf(teams.low)).at(-1), "team-invite-bulk-delete");
  });
}

test("a sign-in that takes administration away and gives roles locks all teams in one order", async () => {
  const rights: readonly ((teamId: string, as: object) => Promise<void>)[] = [makeKey, makeCode];
  for (const make of rights) {
    const teams = await openTeams();
    const identity = newIdentity();
    const signIn = (roles: MappedRoles) => signInWithIdentity(api, identity, { roles });
    const { session } = await signIn({ isAdministrator: true, teams: [] });
    await make(teams.high, { session });
    const roles: MappedRoles = { isAdministrator: false, teams: [{ team: teams.low, role: "VIEWER" }] };
    const { result } = await assertRising(teams, () => signIn(roles));
    assert.equal(result.outcome, "signed-in");
    assert.equal((await typesOf(teams.low)).at(-1), "team-member-join");
    assert.match((await typesOf(teams.high)).at(-1) ?? "", /^(?:api-keys-suspended|team-invite-bulk-delete)$/);
  }
});

test("mapped roles lock their teams in one order, whatever that of the mappings is", async () => {
  const teams = await openTeams();
  const named = [teams.high, teams.low].map((team) => ({ team, role: "VIEWER" as const }));
  const roles: MappedRoles = { isAdministrator: null, teams: named };
  const { result } = await assertRising(teams, () => signInWithIdentity(api, newIdentity(), { roles }));
  assert.equal(result.outcome, "signed-in");
});
