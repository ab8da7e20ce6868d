// Administrators read the events of the whole instance, newest first, no matter who owns them.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFeed, typesOf } from "../../../../test/resources/event-feed.ts";
import { startTestApp } from "../../../../test/harness/test-app.ts";
import type { TestResponse, Body } from "../../../../test/harness/test-app.ts";

const world = await startTestApp();
const { app, clock, request, createUser, createTeam } = world;
const { plant } = openFeed(world);

const read = (query = ""): Promise<TestResponse> => request("GET", `/v3/events?instance=true${query}`);

async function find(query = ""): Promise<Body[]> {
  const { status, body, text } = await read(query);
  assert.equal(status, 200, text);
  return body.events;
}

/** Reads every page, by the links alone. */
async function follow(query: string): Promise<{ readonly events: Body[]; readonly pages: number }> {
  const events: Body[] = [];
  let url: string | undefined = `/v3/events?instance=true${query}`;
  let pages = 0;
  while (url !== undefined) {
    const { status, body, headers, text }: TestResponse = await request("GET", url);
    assert.equal(status, 200, text);
    events.push(...body.events);
    pages += 1;
    url = /<([^>]+)>; rel="next"/.exec(headers["link"] ?? "")?.[1];
    assert.equal(body.cursor === undefined, url === undefined);
    if (url !== undefined) assert.equal(new URLSearchParams(url.split("?")[1]).get("cursor"), body.cursor);
  }
  return { events, pages };
}

describe("the feed of the instance", () => {
  it("holds the events of every owner, newest first, with the id of the owner", async () => {
    clock.advance(1_000);
    const user = await createUser();
    const team = await createTeam(user);
    const deleted = await createTeam(user);
    await request("DELETE", `/v1/teams/${deleted.id}`, { token: user.token });
    const events = await find("&limit=100");
    for (const ownerId of [user.id, team.id, deleted.id]) {
      assert.ok(
        events.some((event) => event.ownerId === ownerId),
        ownerId,
      );
    }
    const times = events.map(({ createdAt }) => createdAt as number);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    const own = await request("GET", `/v3/events?teamId=${team.id}`, { token: user.token });
    const [first] = own.body.events;
    assert.deepEqual(
      events.find(({ id }) => id === first.id),
      { ...first, ownerId: team.id },
    );
  });

  it("is read page by page, each event once, even where many share a time", async () => {
    clock.advance(60_000);
    const since = clock.now;
    const teams = await Promise.all([1, 2, 3].map(async () => await createTeam(await createUser())));
    for (const team of teams)
      await plant(
        team,
        Array.from({ length: 40 }, () => ({})),
      );
    const all = await follow(`&since=${since}&limit=7`);
    assert.equal(new Set(all.events.map(({ id }) => id)).size, all.events.length);
    const expected = await follow(`&since=${since}&limit=250`);
    assert.ok(expected.events.length >= 123, String(expected.events.length));
    assert.deepEqual(all.events, expected.events);
    const last = all.events.at(-1);
    assert.deepEqual(await find(`&until=${since - 1}&since=${since}`), []);
    assert.equal(last?.createdAt >= since, true);
  });

  it("accepts every filter, and a page with few matches has a next page", async () => {
    clock.advance(60_000);
    const since = clock.now;
    const user = await createUser();
    const team = await createTeam(user);
    await plant(team, [{ type: "secret-add", projectId: "shop", entityId: "sec_rare" }]);
    // More than one page examines.
    for (let block = 0; block < 5; block += 1)
      await plant(
        team,
        Array.from({ length: 500 }, () => ({})),
      );
    for (const filter of ["types=secret-add", "type=secret-a*", "entityId=sec_rare", "projectIds=shop,other"]) {
      const { events, pages } = await follow(`&since=${since}&${filter}`);
      assert.deepEqual(typesOf(events), ["secret-add"], filter);
      assert.equal(pages, 2, filter);
    }
    const { events } = await follow(`&since=${since}&principalId=${user.id}&types=team`);
    assert.deepEqual(
      events.map(({ ownerId }) => ownerId),
      [team.id],
    );
    assert.deepEqual((await follow("&entityId=nothing&limit=250")).events, []);
  });

  it("requires an administrator's access token without a limit to a team", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    for (const query of ["instance=true", `instance=true&teamId=${team.id}`]) {
      const { status } = await request("GET", `/v3/events?${query}`, { token: user.token });
      assert.equal(status, 403, query);
    }
    const me = (await request("GET", "/v2/user")).body.user;
    const order = { userId: me.id, name: "limited", teamId: team.id };
    const limited = await app.runner.changes.issueToken(order, clock.now);
    assert.equal((await request("GET", "/v3/events?instance=true", { token: limited.value })).status, 403);
    assert.equal((await request("GET", "/v3/events?instance=false", { token: user.token })).status, 200);
  });

  it("refuses parameters that need one owner's chain, and names them", async () => {
    const team = await createTeam(await createUser());
    for (const [member, value] of [
      ["after", "0"],
      ["before", "9"],
      ["teamId", team.id],
      ["slug", team.slug],
      ["cursor", "tomorrow"],
    ] as const) {
      const { status, body } = await read(`&${member}=${value}`);
      assert.equal(status, 400, member);
      assert.match(body.error.message, new RegExp(`\\b${member}\\b`));
    }
    const stray = await request("GET", `/v3/events?teamId=${team.id}&cursor=1.team_1.1`);
    assert.equal(stray.status, 400);
    const accept = { headers: { accept: "text/csv" } };
    const exported = await request("GET", "/v3/events?instance=true", accept);
    assert.equal(exported.status, 400);
    assert.match(exported.body.error.message, /instance/);
  });
});
