// Pages of the feed, as clients read them: by time, like the public command line, and by `Link`.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestResponse, Body, TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { downFrom, openFeed, sequencesOf } from "../../../../test/resources/event-feed.ts";

const app = await startOwnApp();
const { request, createUser, createTeam, clock } = app;
const { plant, find } = openFeed(app);

/** The URL that a `Link` header gives for `rel`. */
function linkOf({ headers }: TestResponse, rel: string): string | undefined {
  return new RegExp(`<([^>]+)>; rel="${rel}"`).exec(headers["link"] ?? "")?.[1];
}

describe("paging", () => {
  /** Pages like the public command line: requests one more event than it shows, then events older than the last one shown. */
  async function readByTime(user: TestUser, team: TestTeam, limit: number): Promise<Body[]> {
    const seen: Body[] = [];
    for (let until = ""; ;) {
      const events = await find(user, team, `&limit=${limit + 1}${until}`);
      seen.push(...events.slice(0, limit));
      if (events.length <= limit) return seen;
      until = `&until=${seen.at(-1).createdAt - 1}`;
    }
  }

  async function readByLink(user: TestUser, start: string): Promise<Body[]> {
    const seen: Body[] = [];
    for (let url: string | undefined = start; url !== undefined;) {
      const response = await request("GET", url, { token: user.token });
      seen.push(...response.body.events);
      url = linkOf(response, "next");
    }
    return seen;
  }

  it("by time loses and repeats nothing, though 500 events share a time", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    await plant(
      team,
      Array.from({ length: 499 }, () => ({})),
    );
    for (const limit of [100, 17]) assert.deepEqual(sequencesOf(await readByTime(user, team, limit)), downFrom(500));
  });

  it("by Link is exact, however many events share a time", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    await plant(
      team,
      Array.from({ length: 1299 }, (_, i) => ({ type: i % 2 ? "avatar" : "email" }) as const),
    );
    const url = `/v3/events?teamId=${team.id}`;
    assert.deepEqual(sequencesOf(await readByLink(user, `${url}&limit=250`)), downFrom(1300));
    assert.deepEqual(sequencesOf(await readByLink(user, `${url}&limit=250&after=0`)), downFrom(1300).toReversed());
    const emails = sequencesOf(await readByLink(user, `${url}&limit=100&types=email`));
    assert.deepEqual(
      emails,
      downFrom(1300).filter((sequence) => sequence > 1 && sequence % 2 === 0),
    );
  });

  it("by Link keeps the filters, and leads back to newer events", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    clock.advance(1000);
    const since = clock.now;
    await plant(team, [{}, {}, {}, {}]);
    const first = await request("GET", `/v1/events?teamId=${team.id}&since=${since}&limit=3`, { token: user.token });
    const next = new URL(linkOf(first, "next") as string, "http://localhost");
    assert.equal(next.pathname, "/v1/events");
    assert.deepEqual(Object.fromEntries(next.searchParams), {
      teamId: team.id,
      since: String(since),
      limit: "3",
      before: "3",
    });
    const second = await request("GET", next.pathname + next.search, { token: user.token });
    assert.deepEqual(sequencesOf(second.body.events), [2]);
    assert.equal(linkOf(second, "next"), undefined);
    await plant(team, [{}]);
    const newer = await request("GET", linkOf(first, "prev") as string, { token: user.token });
    assert.deepEqual(sequencesOf(newer.body.events), [6]);
  });

  it("returns 20 events by default, and as many as the public command line requests", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    await plant(
      team,
      Array.from({ length: 149 }, () => ({})),
    );
    assert.equal((await find(user, team, "")).length, 20);
    assert.equal((await find(user, team, "&limit=101")).length, 101);
    assert.equal((await find(user, team, "&limit=250")).length, 150);
  });

  it("returns times that never decrease, even when the clock is set back", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    const start = clock.now;
    clock.now = start - 60_000;
    await plant(team, [{}, {}]);
    clock.now = start + 5;
    await plant(team, [{}]);
    const times = (await find(user, team, "&after=0")).map(({ createdAt }) => createdAt);
    assert.deepEqual(times, [start, start + 1, start + 2, start + 5]);
  });
});
