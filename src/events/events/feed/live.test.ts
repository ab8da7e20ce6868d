// The feed as server-sent events over real sockets: which events arrive, where a stream begins, who may open it, and when it
// ends.
import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { downFrom, openFeed, sequencesOf } from "../../../../test/resources/event-feed.ts";
import { listen, listenTo } from "../../../../test/resources/event-streams.ts";
import type { EventListener } from "../../../../test/resources/event-streams.ts";

const app = await startOwnApp({}, undefined, { heartbeatMs: 25 });
const { request, createUser, createTeam, query } = app;
const { plant, find } = openFeed(app);

let port: number;
let user: TestUser;
let team: TestTeam;

before(async () => {
  port = await listen(app.app);
});

async function newTeam(events: number): Promise<void> {
  user = await createUser();
  team = await createTeam(user);
  await plant(
    team,
    Array.from({ length: events - 1 }, () => ({})),
  );
}

async function listenToTeam(more = "", lastEventId?: string, token = user.token): Promise<EventListener> {
  const headers = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  return await listenTo(port, `/v3/events/stream?teamId=${team.id}${more}`, token, headers);
}

/** Changes the team through the API. */
async function rename(name: string): Promise<void> {
  const { status } = await request("PATCH", `/v2/teams/${team.id}`, { token: user.token, body: { name } });
  assert.equal(status, 200);
}

function idsOf({ events }: EventListener): number[] {
  return events.map(({ id }) => Number(id));
}

describe("a stream of events", () => {
  it("sends each event when it is committed, in the form of the feed", async () => {
    await newTeam(1);
    const stream = await listenToTeam();
    assert.equal(stream.status, 200);
    assert.equal(stream.headers["content-type"], "text/event-stream; charset=utf-8");
    assert.equal(stream.headers["cache-control"], "no-store, no-transform");
    assert.equal(stream.headers["content-encoding"], "identity");
    assert.equal(stream.headers["x-accel-buffering"], "no");
    await stream.until(({ lastEventId }) => lastEventId === "1");
    assert.equal(stream.retryMs, 3000);
    await rename("first");
    await stream.until(({ events }) => events.length === 1);
    await rename("second\nline");
    await stream.until(({ events }) => events.length === 2);
    assert.deepEqual(
      stream.events.map(({ type }) => type),
      ["team-name-update", "team-name-update"],
    );
    assert.deepEqual(idsOf(stream), [2, 3]);
    assert.deepEqual(
      stream.events.map(({ data }) => data),
      await find(user, team, "&after=1"),
    );
    stream.close();
  });

  it("sends the events that match its filter, with payloads on request", async () => {
    await newTeam(1);
    const stream = await listenToTeam("&types=secret-*&withPayload=true&after=0");
    await plant(team, [{ type: "secret-add", payload: { name: "A" } }, {}, { type: "secret-delete" }]);
    await stream.until(({ events }) => events.length === 2);
    assert.deepEqual(
      stream.events.map(({ data }) => data),
      await find(user, team, "&types=secret-*&withPayload=true&after=0"),
    );
    stream.close();
  });

  it("begins where the client says, or now", async () => {
    await newTeam(1200);
    for (const [more, lastEventId, after] of [
      ["&after=1190", undefined, 1190],
      ["&after=3", "1195", 1195],
      ["", "1200", 1200],
      ["&after=0", undefined, 0],
      ["", undefined, null],
      ["", "", null],
    ] as const) {
      const [{ sequence: head }] = await find(user, team, "&limit=1");
      const stream = await listenToTeam(more, lastEventId);
      await plant(team, [{}]);
      await stream.until(({ events }) => events.at(-1)?.id === String(head + 1));
      assert.deepEqual(
        idsOf(stream),
        downFrom(head + 1)
          .slice(0, head + 1 - (after ?? head))
          .toReversed(),
      );
      stream.close();
    }
  });

  it("is refused where it cannot begin", async () => {
    await newTeam(10);
    for (const [more, lastEventId, field] of [
      ["", "x", "Last-Event-ID"],
      ["", "-1", "Last-Event-ID"],
      ["", "1.5", "Last-Event-ID"],
      ["", "9".repeat(16), "Last-Event-ID"],
      ["", "11", "Last-Event-ID"],
      ["&after=1", "11", "Last-Event-ID"],
      ["&after=11", undefined, "query.after"],
    ] as const) {
      const { status, refusal } = await listenToTeam(more, lastEventId);
      assert.deepEqual([status, refusal.code, refusal.field], [400, "invalid_cursor", field], `${more} ${lastEventId}`);
    }
    for (const more of ["&types=team-member-jion", "&limit=1", "&since=0"]) {
      assert.deepEqual((await listenToTeam(more)).refusal.code, "invalid_query");
    }
    const other = await createUser();
    const foreign = await listenTo(port, `/v3/events/stream?teamId=${team.id}`, other.token);
    assert.deepEqual([foreign.status, foreign.refusal.code], [404, "not_found"]);
    const asJson = await listenTo(port, "/v3/events/stream", user.token, { accept: "application/json" });
    assert.deepEqual([asJson.status, asJson.refusal.code], [406, "not_acceptable"]);
    const head = await request("HEAD", "/v3/events/stream", { token: user.token });
    assert.deepEqual([head.status, head.headers["content-type"]], [200, "text/event-stream; charset=utf-8"]);
  });

  it("refuses to begin before the first stored event", async () => {
    await newTeam(10);
    await query(`delete from events where owner_id = '${team.id}' and sequence <= 4`);
    for (const [more, lastEventId] of [
      ["", "3"],
      ["&after=1", undefined],
    ] as const) {
      const { status, refusal } = await listenToTeam(more, lastEventId);
      assert.deepEqual([status, refusal.code, refusal.firstSequence], [410, "events_pruned", 5]);
    }
    for (const [more, lastEventId] of [
      ["", "4"],
      ["&after=0", undefined],
    ] as const) {
      const stream = await listenToTeam(more, lastEventId);
      await stream.until(({ events }) => events.length === 6);
      assert.deepEqual(idsOf(stream), [5, 6, 7, 8, 9, 10]);
      stream.close();
    }
  });

  it("keeps a silent connection alive", async () => {
    await newTeam(1);
    const stream = await listenToTeam();
    await stream.until(({ comments }) => comments >= 4);
    assert.deepEqual(stream.events, []);
    await plant(team, [{}]);
    await stream.until(({ events }) => events.length === 1);
    stream.close();
  });

  it("ends when its credential or the right to read is lost", async () => {
    await newTeam(1);
    const listening = [await listenToTeam(), await listenToTeam("&types=team")];
    await query(`update memberships set role = 'CONTRIBUTOR' where team_id = '${team.id}'`);
    assert.deepEqual(await Promise.all(listening.map(({ ended }) => ended)), [true, true]);
    assert.equal((await listenToTeam()).status, 403);
    await query(`update memberships set role = 'OWNER' where team_id = '${team.id}'`);
    const again = await listenToTeam();
    assert.equal(again.status, 200);
    const { body } = await request("GET", "/v5/user/tokens/current", { token: user.token });
    const revoked = await request("DELETE", `/v3/user/tokens/${body.token.id}`, { token: user.token });
    assert.equal(revoked.status, 200);
    assert.equal(await again.ended, true);
    assert.equal((await listenToTeam()).status, 401);
  });

  it("does not follow a slug to another team", async () => {
    await newTeam(3);
    const stream = await listenTo(port, `/v3/events/stream?slug=${team.slug}&after=0`, user.token);
    await stream.until(({ events }) => events.length === 3);
    const renamed = { token: user.token, body: { slug: `${team.slug}-former` } };
    assert.equal((await request("PATCH", `/v2/teams/${team.id}`, renamed)).status, 200);
    await createTeam(user, team.slug);
    assert.equal(await stream.ended, true);
    assert.ok(sequencesOf(stream.events.map(({ data }) => data)).every((sequence, index) => sequence === index + 1));
  });

  it("counts towards the ten streams of a user over all credentials", async () => {
    await newTeam(1);
    const { body } = await request("POST", "/v3/user/tokens", { token: user.token, body: { name: "second" } });
    const streams = await Promise.all(Array.from({ length: 10 }, () => listenToTeam()));
    const metrics = await request("GET", "/metrics", { token: null });
    assert.ok(Number(/^reeve_http_open_streams (\d+)$/m.exec(metrics.text)?.[1]) >= 10);
    const { status, headers, refusal } = await listenToTeam("", undefined, body.bearerToken);
    assert.deepEqual([status, headers["retry-after"], refusal.code], [429, "5", "too_many_streams"]);
    streams[0]?.close();
    for (;;) {
      const again = await listenToTeam();
      again.close();
      if (again.status === 200) break;
    }
    for (const stream of streams) stream.close();
  });

  it("ends at once when the server stops", async () => {
    await newTeam(1);
    const other = await app.startAnother();
    const otherPort = await listen(other);
    const stream = await listenTo(otherPort, `/v3/events/stream?teamId=${team.id}`, user.token);
    await stream.until(({ lastEventId }) => lastEventId === "1");
    await other.close();
    assert.equal(await stream.ended, true);
  });
});
