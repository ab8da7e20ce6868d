// Searching the members of a team and the accounts of the instance: what matches, in which order, and how much is read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE, startOwnApp, uniqueName } from "../../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { createPlanter } from "../../../../test/resources/planted-members.ts";
import type { Planted } from "../../../../test/resources/planted-members.ts";

const { app, clock, request, createUser, createTeam, withStore, query } = await startOwnApp({
  storageLimits: "teams=1000",
});
const plant = createPlanter(withStore);

async function search(user: TestUser, team: TestTeam, text: string, more = ""): Promise<string[]> {
  const url = `/v2/teams/${team.id}/members?search=${encodeURIComponent(text)}${more}`;
  const { status, body, text: response } = await request("GET", url, { token: user.token });
  assert.equal(status, 200, response);
  return body.members.map(({ email }: { email: string }) => email);
}

/** Reads every page, by `next`. No page before the last is empty. */
async function searchAll(user: TestUser, team: TestTeam, text: string, more = ""): Promise<string[]> {
  const found: string[] = [];
  for (let until = ""; ;) {
    const url = `/v2/teams/${team.id}/members?limit=100&search=${encodeURIComponent(text)}${more}${until}`;
    const { body, text: response } = await request("GET", url, { token: user.token });
    assert.ok(body.members, response);
    found.push(...body.members.map(({ uid }: { uid: string }) => uid));
    if (body.pagination.next === null) return found;
    assert.ok(body.members.length > 0, "an empty page looks like the end of the list");
    until = `&until=${body.pagination.next}`;
  }
}

test("names are found whatever their case and diacritics, on both engines", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  await plant(team, [
    { name: "İstanbul Çelik", email: "1@x.org" },
    { name: "ΟΔΥΣΣΕΥΣ", email: "2@x.org" },
    { name: "Groß Straße", email: "3@x.org" },
    { name: "José  Ibáñez", email: "4@x.org" },
    { name: "ﬁona ı", email: "5@x.org" },
    { name: 'Q"uote 100%_\\', email: "6@x.org" },
  ]);
  for (const [text, email] of [
    ["istanbul", "1@x.org"],
    ["İSTANBUL çelİk", "1@x.org"],
    ["οδυσσευς", "2@x.org"],
    ["Οδυσσεύσ", "2@x.org"],
    ["GROSS", "3@x.org"],
    ["strasse", "3@x.org"],
    ["jose ibanez", "4@x.org"],
    ["FIONA I", "5@x.org"],
    ['q"uo', "6@x.org"],
    ["100%_\\", "6@x.org"],
  ] as const) {
    assert.deepEqual(await search(owner, team, text), [email], text);
  }
  assert.deepEqual(await search(owner, team, "celik1"), []);
  assert.deepEqual(await search(owner, team, "%"), []);
});

test("an address is found by its domain as people write it, in each list", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const name = uniqueName("anna");
  const added = { username: name, email: `${name}@post.müller.example` };
  const { body: account, text } = await request("POST", "/v1/users", { body: added });
  assert.equal(account.user?.email, `${name}@post.xn--mller-kva.example`, text);
  await plant(team, [{ email: account.user.email }]);
  const invited = "José@post.MÜLLER.example";
  const invite = { token: owner.token, body: { email: invited, role: "MEMBER" } };
  assert.equal((await request("POST", `/v1/teams/${team.id}/members`, invite)).status, 200);
  const both = ["josé@post.xn--mller-kva.example", account.user.email];
  for (const part of [
    "post.müller.example",
    "MÜLLER.EXAMPLE",
    "mu\u0308ller.exam",
    "@post.müller",
    "@post.müller.",
    ".müller.",
    "müller",
    "xn--mller-kva",
  ]) {
    assert.deepEqual((await search(owner, team, part)).toSorted(), both.toSorted(), part);
    for (const more of ["", `&username=${name}`]) {
      const users = await request("GET", `/v1/users?search=${encodeURIComponent(part)}${more}`);
      assert.ok(
        users.body.users.some(({ username }: { username: string }) => username === name),
        `${part}${more}`,
      );
    }
  }
  assert.deepEqual(await search(owner, team, `${name}@post.mu\u0308ller.example`), [account.user.email]);
  assert.deepEqual(await search(owner, team, "jose\u0301@POST.müller"), [both[0]]);
  // Another domain.
  assert.deepEqual(await search(owner, team, "muller.example"), []);
});

test("fewer than three characters match the beginnings of words", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  await plant(team, [
    { name: "Anna Schmidt", email: "zz1@x.org" },
    { name: "Johanna", email: "sc@x.org" },
  ]);
  assert.deepEqual(await search(owner, team, "sc"), ["sc@x.org", "zz1@x.org"]);
  assert.deepEqual(await search(owner, team, "a"), ["zz1@x.org"]);
  assert.deepEqual(await search(owner, team, "nn"), []);
  assert.deepEqual(await search(owner, team, "ann"), ["sc@x.org", "zz1@x.org"]);
});

test("a renamed account is found by its new name in every team, but not in teams that it left or that are deleted", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const name = uniqueName("renamed");
  assert.equal((await request("PATCH", "/v2/user", { token: owner.token, body: { name } })).status, 200);
  assert.deepEqual(await search(owner, team, name), [owner.email]);
  assert.deepEqual(await search(owner, team, owner.username), [owner.email]);
  const { body } = await request("GET", `/v1/users?search=${name}`);
  assert.equal(body.users.length, 1);
  assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token })).status, 200);
  assert.deepEqual(await query(`select 1 from search_entries where scope = '${team.id}'`), []);
});

test("an account in more teams than one batch updates is found by its new name in all of them soon", async () => {
  const owner = await createUser();
  const teams: TestTeam[] = [];
  for (let at = 0; at < 205; at++) teams.push(await createTeam(owner));
  const name = uniqueName("moved");
  await request("PATCH", "/v2/user", { token: owner.token, body: { name } });
  while ((await app.runner.changes.refreshSearch(null, clock.now)) > 0);
  for (const team of teams) assert.deepEqual(await search(owner, team, name), [owner.email]);
});

test("a person who was invited by id is not found before they have joined", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const invited = await createUser();
  const body = { uid: invited.id, role: "MEMBER" };
  assert.equal((await request("POST", `/v1/teams/${team.id}/members`, { token: owner.token, body })).status, 200);
  assert.deepEqual(await search(owner, team, invited.username), []);
  const join = await request("POST", "/v1/teams/join", { token: invited.token, body: { teamId: team.id } });
  assert.equal(join.status, 200, join.text);
  assert.deepEqual(await search(owner, team, invited.username), [invited.email]);
});

test("every page of a search has the matches of the list in its order, in both directions, indexed or not", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const people = Array.from({ length: 4_300 }, (_, at): Planted => ({
    name: `${at % 7 === 0 ? "Grace" : "Alan"} ${String(at).padStart(8, "0")}${at % 600 === 5 ? " MÜLLER.example" : ""}`,
    email: `p${at}@${at % 800 === 5 ? "xn--mller-kva." : ""}example.com`,
    role: at % 1_200 === 3 ? "BILLING" : "MEMBER",
  }));
  const ids = await plant(team, people);
  // Another team with the same names, which no page may show.
  await plant(await createTeam(owner), people.slice(0, 1_200));
  const expected = (matches: (one: Planted, at: number) => boolean) =>
    ids.filter((_, at) => matches(people[at] as Planted, at)).toReversed();
  const cases: readonly (readonly [string, string, (one: Planted, at: number) => boolean])[] = [
    ["grace", "", ({ name = "" }) => name.startsWith("Grace")],
    ["example.com", "", () => true],
    ["p4299@", "", (_, at) => at === 4_299],
    ["p5@", "", (_, at) => at === 5],
    ["p2047@", "", (_, at) => at === 2_047],
    ["00000000", "", (_, at) => at === 0],
    ["alan 0000", "", (_, at) => at % 7 !== 0],
    ["example.com", "&role=BILLING", ({ role }) => role === "BILLING"],
    ["grace", "&role=BILLING", ({ name = "", role }) => role === "BILLING" && name.startsWith("Grace")],
    ["nobody", "&role=BILLING", () => false],
    ["grace", "&role=MEMBER", ({ name = "", role }) => role === "MEMBER" && name.startsWith("Grace")],
    ["g", "", ({ name = "" }) => name.startsWith("Grace")],
    ["nobody", "", () => false],
    ["müller.example", "", (_, at) => at % 800 === 5 || at % 600 === 5],
    ["p805@MU\u0308LLER.ex", "", (_, at) => at === 805],
    ["p4005@müller", "", (_, at) => at === 4_005],
  ];
  for (const [text, more, matches] of cases) {
    const all = expected(matches);
    assert.deepEqual(
      (await searchAll(owner, team, text, more)).filter((id) => id !== owner.id),
      all,
      text,
    );
  }
  // Few have the role, so the page is not cut, however many match.
  const rare = await request("GET", `/v2/teams/${team.id}/members?search=example.com&role=BILLING`, {
    token: owner.token,
  });
  assert.deepEqual([rare.body.members.length, rare.body.pagination.next], [4, null]);
  // From the oldest on: each page by the `prev` of the previous one.
  const forwards: string[] = [];
  for (let since = "0"; ;) {
    const url = `/v2/teams/${team.id}/members?limit=100&search=grace&since=${since}`;
    const { body } = await request("GET", url, { token: owner.token });
    if (body.members.length === 0) break;
    forwards.push(...body.members.map(({ uid }: { uid: string }) => uid).toReversed());
    since = String(body.pagination.prev);
  }
  assert.deepEqual(
    forwards.toReversed(),
    expected(({ name = "" }) => name.startsWith("Grace")),
  );
  // A member who left is no longer found, not by the index either.
  const gone = ids[4_299] as string;
  assert.equal((await request("DELETE", `/v1/teams/${team.id}/members/${gone}`, { token: owner.token })).status, 200);
  assert.deepEqual(await search(owner, team, "p4299@"), []);
});

test("deleting entries never rewrites a segment of the embedded store's index", async () => {
  if (ENGINE !== "sqlite") return;
  const [setting] = await query("select v from search_index_config where k = 'deletemerge'");
  assert.equal(setting?.["v"], 0);
});

test("a filter with few matches reads a bounded range of the list at a time", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const people = Array.from({ length: 2_100 }, (_, at) => ({ email: `q${at}@example.com` }));
  const ids = await plant(team, people, false);
  const granted = JSON.stringify([{ projectId: "web", role: "ADMIN", position: 1 }]);
  const free = [ids[7], ids[2_050]] as [string, string];
  await query(`update memberships set projects = '${granted}' where team_id = '${team.id}'
    and user_id not in ('${free.join("', '")}')`);
  const url = `/v2/teams/${team.id}/members?eligibleMembersForProjectId=web`;
  const { body, text } = await request("GET", url, { token: owner.token });
  assert.ok(body.members, text);
  assert.deepEqual(
    body.members.map(({ uid }: { uid: string }) => uid),
    free.toReversed(),
  );
  assert.equal(body.pagination.next, null);
});
