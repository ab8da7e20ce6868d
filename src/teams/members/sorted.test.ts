// The list of members by name, role and age: page by page to its end, with every filter, on both engines.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body, TestUser } from "../../../test/harness/test-app.ts";
import { createPlanter } from "../../../test/resources/planted-members.ts";
import type { Planted } from "../../../test/resources/planted-members.ts";
import { openTeam } from "../../../test/resources/teams.ts";
import type { OpenTeam } from "../../../test/resources/teams.ts";

const api = await startTestApp();
const { clock, createUser, query, request } = api;
const plant = createPlanter(api.withStore);

/** The members of all pages, by the cursor of each. */
async function walk(team: OpenTeam, asked: string, limit = 2): Promise<readonly Body[]> {
  const found: Body[] = [];
  for (let cursor = ""; ;) {
    const page = await team.list(`?limit=${limit}&${asked}${cursor}`);
    assert.ok(page.members, JSON.stringify(page));
    found.push(...page.members);
    assert.deepEqual([page.pagination.next, page.pagination.hasNext], [null, page.cursor !== undefined]);
    if (page.cursor === undefined) return found;
    assert.ok(page.members.length > 0, "a page that leads on is not empty");
    cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
  }
}

const namesOf = (members: readonly Body[]): string[] =>
  members.map(({ name, username, role }: Body) => `${name ?? username} ${role}`);

async function nameOf(user: TestUser, name: string): Promise<TestUser> {
  assert.equal((await request("PATCH", "/v2/user", { token: user.token, body: { name } })).status, 200);
  return user;
}

async function teamOf(people: readonly (readonly [name: string, role: string])[]) {
  const team = await openTeam(api, await nameOf(await createUser(), "Mara"));
  const users = new Map<string, TestUser>();
  for (const [name, role] of people) {
    clock.advance(1_000);
    const user = await nameOf(await createUser(), name);
    await team.add(user, role);
    users.set(name, user);
  }
  return { team, users };
}

const PEOPLE = [
  ["idris", "VIEWER"],
  ["Émile", "DEVELOPER"],
  ["zoe", "MEMBER"],
  ["Ada 😀", "VIEWER"],
] as const;

test("members are sorted by name without case and accents, by role as roles are listed, and by age", async () => {
  const { team, users } = await teamOf(PEOPLE);
  const byName = ["Ada 😀 VIEWER", "Émile DEVELOPER", "idris VIEWER", "Mara OWNER", "zoe MEMBER"];
  assert.deepEqual(namesOf(await walk(team, "sort=name")), byName);
  assert.deepEqual(namesOf(await walk(team, "sort=name&order=desc", 1)), byName.toReversed());
  // Of one role the newest is first, in both directions.
  const byRole = ["Mara OWNER", "zoe MEMBER", "Émile DEVELOPER", "Ada 😀 VIEWER", "idris VIEWER"];
  assert.deepEqual(namesOf(await walk(team, "sort=role")), byRole);
  const down = ["Ada 😀 VIEWER", "idris VIEWER", "Émile DEVELOPER", "zoe MEMBER", "Mara OWNER"];
  assert.deepEqual(namesOf(await walk(team, "sort=role&order=desc", 1)), down);
  const byAge = ["Mara OWNER", ...PEOPLE.map((one) => one.join(" "))];
  assert.deepEqual(namesOf(await walk(team, "sort=createdAt")), byAge);
  assert.deepEqual(namesOf(await walk(team, "sort=createdAt&order=desc", 3)), byAge.toReversed());
  // Who is renamed moves, and who leaves is gone.
  await nameOf(users.get("zoe") as TestUser, "Bo");
  await team.remove(users.get("idris") as TestUser);
  assert.deepEqual(namesOf(await walk(team, "sort=name")), [
    "Ada 😀 VIEWER",
    "Bo MEMBER",
    "Émile DEVELOPER",
    "Mara OWNER",
  ]);
});

test("the invited come first in every order, the newest first, and nobody twice", async () => {
  const { team } = await teamOf([["Ada", "VIEWER"]]);
  const emails = ["zoe@example.com", "bo@example.com", "ada@example.com"];
  for (const email of emails) {
    clock.advance(1_000);
    assert.equal((await team.invite({ email, role: "DEVELOPER" })).status, 200);
  }
  const invited = emails.toReversed().map((email) => `${email} DEVELOPER`);
  for (const limit of [1, 2, 3, 4, 5]) {
    const names = async (asked: string) => namesOf(await walk(team, asked, limit));
    assert.deepEqual(await names("sort=name"), [...invited, "Ada VIEWER", "Mara OWNER"]);
    assert.deepEqual(await names("sort=name&order=desc"), [...invited, "Mara OWNER", "Ada VIEWER"]);
    assert.deepEqual(await names("sort=role"), [...invited, "Mara OWNER", "Ada VIEWER"]);
    assert.deepEqual(await names("sort=createdAt"), [...invited, "Mara OWNER", "Ada VIEWER"]);
    assert.deepEqual(await names("sort=role&role=DEVELOPER"), invited);
    assert.deepEqual(await names("sort=name&search=ada"), ["ada@example.com DEVELOPER", "Ada VIEWER"]);
  }
  const first = await team.list("?sort=name&limit=4");
  assert.deepEqual(
    first.emailInviteCodes.map(({ email }: Body) => email),
    emails.toReversed(),
  );
  const next = await team.list(`?sort=name&limit=4&cursor=${first.cursor}`);
  assert.deepEqual(next.emailInviteCodes, [], "they are on the first page alone");
  // A viewer does not see who is invited.
  const viewer = await nameOf(await createUser(), "Vi");
  await team.add(viewer, "VIEWER");
  const { body } = await request("GET", `/v2/teams/${team.id}/members?sort=name`, { token: viewer.token });
  assert.deepEqual(namesOf(body.members), ["Ada VIEWER", "Mara OWNER", "Vi VIEWER"]);
});

test("an order goes with every filter, in teams of thousands, too", async () => {
  const team = await openTeam(api, await createUser());
  const people = Array.from({ length: 1_900 }, (_, at): Planted & { readonly name: string } => ({
    // In an order that is not that of their ages.
    name: `${at % 9 === 0 ? "Grace" : "Alan"} ${String((at * 7) % 1_900).padStart(4, "0")}`,
    email: `p${at}@example.com`,
    role: at % 600 === 3 ? "BILLING" : at % 2 === 0 ? "MEMBER" : "VIEWER",
  }));
  const ids = await plant(team, people);
  const granted = JSON.stringify([{ projectId: "web", role: "ADMIN", position: 1 }]);
  await query(`update memberships set projects = '${granted}'
    where team_id = '${team.id}' and user_id not in ('${ids[7]}', '${ids[1_850]}', '${ids[20]}')`);
  const some = ids.slice(100, 130);
  type Wanted = (one: (typeof people)[number], at: number) => boolean;
  const filters: readonly (readonly [string, Wanted])[] = [
    ["", () => true],
    ["role=BILLING", ({ role }) => role === "BILLING"],
    ["role=MEMBER", ({ role }) => role === "MEMBER"],
    ["search=grace", ({ name }) => name.startsWith("Grace")],
    ["search=alan", ({ name }) => name.startsWith("Alan")],
    ["search=p1899%40", (_, at) => at === 1_899],
    ["search=nobody", () => false],
    ["search=alan&role=BILLING", ({ name, role }) => role === "BILLING" && name.startsWith("Alan")],
    ["search=alan&role=VIEWER", ({ name, role }) => role === "VIEWER" && name.startsWith("Alan")],
    ["eligibleMembersForProjectId=web", (_, at) => [7, 20, 1_850].includes(at)],
    [`filterByUserIds=${some.join(",")}`, (_, at) => at >= 100 && at < 130],
    [`filterByUserIds=${some.join(",")}&search=grace`, ({ name }, at) => at >= 100 && at < 130 && name[0] === "G"],
  ];
  const roles = ["OWNER", "MEMBER", "BILLING", "VIEWER"];
  for (const [filter, isWanted] of filters) {
    const wanted = people.map((one, at) => ({ ...one, at, uid: ids[at] })).filter((one) => isWanted(one, one.at));
    const rankOf = ({ role = "" }: Planted) => roles.indexOf(role);
    const expected = {
      name: wanted.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
      "name&order=desc": wanted.toSorted((one, other) => (one.name > other.name ? -1 : 1)),
      role: wanted.toSorted((one, other) => rankOf(one) - rankOf(other) || other.at - one.at),
      "role&order=desc": wanted.toSorted((one, other) => rankOf(other) - rankOf(one) || other.at - one.at),
      createdAt: wanted,
      "createdAt&order=desc": wanted.toReversed(),
    };
    for (const [sort, order] of Object.entries(expected)) {
      const found = (await walk(team, `sort=${sort}&${filter}`, 100)).filter(({ uid }) => uid !== team.owner.id);
      assert.deepEqual(
        found.map(({ uid }) => uid),
        order.map(({ uid }) => uid),
        `${sort} ${filter}`,
      );
    }
  }
});

test("members are counted by role, whatever else the query narrows, and up to a thousand", async () => {
  const { team } = await teamOf([
    ["Ada", "VIEWER"],
    ["Bo", "VIEWER"],
  ]);
  await team.invite({ email: "invited@example.com", role: "VIEWER" });
  const of = async (asked: string) => (await team.list(`?limit=1&${asked}`)).roleCounts;
  assert.equal(await of(""), undefined);
  const { OWNER, VIEWER, MEMBER, ...others } = await of("withRoleCounts=true&search=ada&sort=name");
  assert.deepEqual([OWNER, VIEWER, MEMBER], [1, 2, 0], "the invited are not counted");
  assert.equal(Object.keys(others).length, 5);
  await plant(
    team,
    Array.from({ length: 998 }, (_, at) => ({ email: `v${at}@example.com`, role: "VIEWER" })),
    false,
  );
  assert.equal((await of("withRoleCounts=true")).VIEWER, 1_000);
  const [one, two] = ["one@example.com", "two@example.com"].map((email) => ({ email, role: "VIEWER" }));
  await plant(team, [one as Planted, two as Planted], false);
  assert.equal((await of("withRoleCounts=true")).VIEWER, 1_001);
});

test("an order that does not exist, and a cursor of another one, is refused by the name of its field", async () => {
  const { team } = await teamOf([["Ada", "VIEWER"]]);
  const { cursor } = await team.list("?sort=name&limit=1");
  const cases: readonly (readonly [string, string, RegExp])[] = [
    ["sort=email", "invalid_query", /^sort: /],
    ["order=desc", "invalid_query", /^order: .*sort/],
    [`cursor=${cursor}`, "invalid_query", /^cursor: .*sort/],
    [`sort=role&cursor=${cursor}`, "invalid_cursor", /^cursor: /],
    [`sort=name&order=desc&cursor=${cursor}`, "invalid_cursor", /^cursor: /],
    ["sort=name&cursor=nonsense", "invalid_cursor", /^cursor: /],
    ["sort=name&until=5", "invalid_query", /^until: .*cursor/],
  ];
  for (const [asked, code, message] of cases) {
    const { error } = await team.list(`?${asked}`);
    assert.deepEqual([error?.code, message.test(error?.message)], [code, true], `${asked}: ${error?.message}`);
  }
});
