import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { TestUser } from "../../../test/harness/test-app.ts";
import { openTeam } from "../../../test/resources/teams.ts";

const api = await startTestApp();
const { createUser, request, clock } = api;

const newTeam = async () => await openTeam(api, await createUser());
const status = (team: { readonly id: string }, as: TestUser, of?: TestUser) =>
  request("GET", `/v1/teams/${team.id}/request${of ? `/${of.id}` : ""}`, { token: as.token });

test("an access request is returned, listed as pending, and shown only to its author and to owners", async () => {
  const team = await newTeam();
  const [asking, member] = [await createUser(), await createUser()];
  await team.add(member);
  const name = await team.rename();
  const joinedFrom = { origin: "github", gitUserId: 7, gitUserLogin: "octo", repoPath: "a/b" };
  const asked = await team.ask(asking, { joinedFrom });
  assert.equal(asked.status, 200, asked.text);
  assert.deepEqual(asked.body, {
    teamSlug: team.slug,
    teamName: name,
    confirmed: false,
    joinedFrom,
    accessRequestedAt: clock.now,
    github: { login: "octo" },
    gitlab: null,
    bitbucket: null,
  });
  const { type, payload } = await team.lastEvent();
  assert.equal(type, "team-member-request-access");
  assert.deepEqual(payload, {
    requestedTeamName: name,
    requestedTeamSlug: team.slug,
    requestedUserName: asking.username,
    source: "github",
  });
  const listed = await team.find(asking);
  const { confirmed, confirmedAt, accessRequestedAt } = listed;
  assert.deepEqual([confirmed, confirmedAt, accessRequestedAt], [false, undefined, clock.now]);
  for (const response of [
    await status(team, asking),
    await status(team, asking, asking),
    await status(team, team.owner, asking),
  ]) {
    assert.deepEqual(response.body, asked.body);
  }
  assert.equal((await status(team, member, asking)).status, 403);
  const stranger = await createUser();
  assert.deepEqual(
    (await status(team, stranger, asking)).body,
    (await status({ id: "absent" }, stranger, asking)).body,
  );
  assert.equal((await request("GET", `/v2/teams/${team.id}/members`, { token: asking.token })).status, 404);
});

test("the body may be left out", async () => {
  const team = await newTeam();
  assert.deepEqual((await team.ask(await createUser())).body.joinedFrom, { origin: "teams" });
  assert.deepEqual((await team.ask(await createUser(), {})).body.joinedFrom, { origin: "teams" });
  const wrong = await team.ask(await createUser(), { joinedFrom: { origin: "saml" } });
  assert.equal(wrong.body.error.code, "bad_request");
});

test("members, invited people and people with an open request cannot request access", async () => {
  const team = await newTeam();
  const [asking, invited, stranger] = [await createUser(), await createUser(), await createUser()];
  await team.ask(asking);
  await team.invite({ uid: invited.id });
  assert.equal((await team.ask(asking)).body.error.code, "already_requested");
  assert.equal((await team.ask(invited)).body.error.code, "already_invited");
  assert.equal((await team.ask(team.owner)).body.error.code, "already_member");
  assert.equal((await status(team, team.owner)).body.error.code, "already_member");
  assert.equal((await status(team, team.owner, team.owner)).body.error.code, "already_member");
  assert.equal((await status(team, invited)).body.error.code, "not_found");
  assert.equal((await status(team, stranger)).body.error.code, "not_found");
  assert.equal((await team.join(asking)).body.error.code, "not_invited");
});

test("a declined person may ask again after a day", async () => {
  const team = await newTeam();
  const asking = await createUser();
  await team.ask(asking);
  await team.remove(asking);
  assert.equal((await status(team, asking)).status, 404);
  clock.advance(HOUR_MS);
  const early = await team.ask(asking);
  assert.equal(early.status, 429);
  assert.deepEqual(early.body.error.code, "request_declined");
  assert.equal(early.body.error.retryAfter, (23 * HOUR_MS) / 1000);
  assert.equal(early.headers["retry-after"], String((23 * HOUR_MS) / 1000));
  clock.advance(DAY_MS - HOUR_MS);
  assert.equal((await team.ask(asking)).status, 200);
});

/** Makes so many, ten at a time: of more at once a store that is slow refuses those who wait for too long. */
async function makeMany<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) {
    const size = Math.min(10, count - made.length);
    const from = made.length;
    // oxlint-disable-next-line no-await-in-loop -- ten at a time
    made.push(...(await Promise.all(Array.from({ length: size }, (_, at) => make(from + at)))));
  }
  return made;
}

test("a team has at most a hundred open requests, those made with a code included", async () => {
  const team = await newTeam();
  const removed = await createUser();
  await team.add(removed);
  await team.remove(removed);
  const { token } = team.owner;
  const { inviteCode } = (await request("GET", `/v2/teams/${team.id}`, { token })).body;
  const people = await makeMany(101, () => createUser());
  const ask = (at: number) => team.ask(people[at] as TestUser);
  const first = await makeMany(92, ask);
  // The last places are asked for at once.
  const last = await Promise.all(Array.from({ length: 9 }, (_, at) => ask(first.length + at)));
  const responses = [...first, ...last];
  const refused = responses.filter((response) => response.status !== 200);
  assert.deepEqual(
    refused.map(({ body }) => body.error.code),
    ["too_many_access_requests"],
  );
  for (const path of ["/v1/teams/join", `/v1/teams/${team.id}/members/teams/join`]) {
    const joined = await request("POST", path, { token: removed.token, body: { inviteCode } });
    assert.deepEqual([joined.status, joined.body.error.code], [429, "too_many_access_requests"], path);
  }
  const open = (await team.list("?limit=100")).members.filter(({ confirmed }: { confirmed: boolean }) => !confirmed);
  await team.change(people.find(({ id }) => id === open[0].uid) as TestUser, { confirmed: true });
  const left = people[responses.findIndex((response) => response.status !== 200)] as TestUser;
  assert.equal((await team.ask(left)).status, 200);
});

test("an access request ends the expired invitation of the person who asks: it is not sent again", async () => {
  const team = await newTeam();
  const asking = await createUser();
  await team.invite({ email: asking.email });
  const { token } = team.owner;
  const [{ id }] = (await request("GET", `/v1/teams/${team.id}/invites`, { token })).body.invites;
  const resend = () => request("POST", `/v1/teams/${team.id}/invites/${id}/resend`, { token });
  clock.advance(8 * DAY_MS);
  assert.equal((await resend()).status, 200);
  clock.advance(8 * DAY_MS);
  assert.equal((await team.ask(asking)).status, 200);
  assert.equal((await resend()).status, 404);
});
