// The clock jumps a day ahead and back while a service runs, and is a day back after a restart: every order stays intact,
// expired things are refused, and valid things are accepted.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { verifyEvents } from "../../src/cli/bodies/verify-events.ts";
import { openShield } from "../resources/attack-mode.ts";
import { openCheckpoints } from "../resources/checkpoints.ts";
import { downFrom, openFeed, sequencesOf } from "../resources/event-feed.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { Body, TestTeam, TestUser } from "../harness/test-app.ts";
import { openVault } from "../resources/secrets.ts";
import { lookNow } from "../webhooks/webhook-world.ts";

const api = await startOwnApp();
const { clock, request } = api;
const { tidy, create } = openCheckpoints(api);
const { find, plant } = openFeed(api);

/** The jumps of a clock that is wrong twice, and right again. */
const JUMPS_MS = [0, DAY_MS, -DAY_MS, -DAY_MS, DAY_MS];

async function jump(ms: number): Promise<void> {
  clock.advance(ms);
  await lookNow(api);
}

/** The internal changes that housekeeping runs each minute. */
async function keepHouse(): Promise<void> {
  const due = [
    "announceExpiry",
    "purgeSecrets",
    "endBypasses",
    "endAttackModes",
    "pruneTraffic",
    "pruneDecisions",
    "forgetEngines",
    "learnUsualTraffic",
    "checkpointDue",
  ] as const;
  for (const name of [...due, "pruneIdempotencyRecords"] as const) await tidy(name, null);
}

async function assertWhole(): Promise<void> {
  assert.equal((await verifyEvents(api.settings)).firstFault, null);
}

/** The events of a team, paged by the time of the last one as clients do, without a cursor of Reeve's. */
async function pageByTime(user: TestUser, team: TestTeam): Promise<Body[]> {
  const events: Body[] = [];
  for (let until = ""; ; until = `&until=${events.at(-1).createdAt - 1}`) {
    const page = await find(user, team, `&limit=7${until}`);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

async function pageBySequence(user: TestUser, team: TestTeam): Promise<Body[]> {
  const events: Body[] = [];
  for (;;) {
    const page = await find(user, team, `&limit=7&after=${events.at(-1)?.sequence ?? 0}`);
    if (page.length === 0) return events;
    events.push(...page);
  }
}

describe("records", () => {
  it("have one order, and every way of paging returns all of them", async () => {
    const user = await api.createUser();
    const team = await api.createTeam(user);
    const many = Array.from({ length: 20 }, () => ({}));
    const start = (await find(user, team, "")).length;
    for (const ms of JUMPS_MS) {
      await jump(ms);
      await plant(team, many);
      await create(user, team);
    }
    const all = start + JUMPS_MS.length * many.length;
    assert.deepEqual(sequencesOf(await pageByTime(user, team)), downFrom(all));
    assert.deepEqual(sequencesOf(await pageBySequence(user, team)), downFrom(all).toReversed());
    await assertWhole();
  });

  it("have distinct ids, and are in their lists once each, in the order of their creation", async () => {
    const user = await api.createUser();
    const made: string[] = [];
    for (const ms of JUMPS_MS) {
      await jump(ms);
      for (let count = 0; count < 5; count++) made.push((await api.createTeam(user)).id);
    }
    assert.equal(new Set(made).size, made.length);
    const listed: string[] = [];
    for (let until: number | null | undefined; until !== null;) {
      const query = until === undefined ? "" : `&until=${until}`;
      const { body, text } = await request("GET", `/v2/teams?limit=4${query}`, { token: user.token });
      assert.ok(body.teams, text);
      listed.push(...body.teams.map(({ id }: Body) => id));
      until = body.pagination.next;
    }
    assert.deepEqual(listed, made.toReversed());
  });
});

describe("ends", () => {
  /** A token that expires after this time. */
  async function issue(user: TestUser, ms: number): Promise<string> {
    const body = { name: "short", expiresAt: clock.now + ms };
    const { body: made, text } = await request("POST", "/v3/user/tokens", { token: user.token, body });
    assert.ok(made.bearerToken, text);
    return made.bearerToken;
  }

  it("of credentials follow the present clock, for cached responses too, and after a restart", async () => {
    const user = await api.createUser();
    const team = await api.createTeam(user);
    const [brief, long] = [await issue(user, 12 * HOUR_MS), await issue(user, 36 * HOUR_MS)];
    async function statuses(app = api.app): Promise<number[]> {
      const asked: number[] = [];
      for (const token of [brief, long, user.token]) {
        // The second response comes from the cache, if it is cacheable.
        for (let round = 0; round < 2; round++) {
          asked.push((await send(app, "GET", `/v2/teams/${team.id}`, { token })).status);
        }
      }
      return asked;
    }
    const good = [200, 200, 200, 200, 200, 200];
    const isAhead = [false, true, false, false, false];
    for (const [at, ms] of JUMPS_MS.entries()) {
      await jump(ms);
      assert.deepEqual(await statuses(), isAhead[at] ? [401, 401, 200, 200, 200, 200] : good);
    }
    clock.advance(-DAY_MS);
    const another = await api.startAnother();
    assert.deepEqual(await statuses(another), good);
    clock.advance(2 * DAY_MS);
    assert.deepEqual(await statuses(another), [401, 401, 200, 200, 200, 200]);
    clock.advance(-DAY_MS);
    assert.deepEqual(await statuses(another), good);
    await another.close();
  });

  it("of secrets and of attack mode are recorded once, whatever the clock shows next", async () => {
    const user = await api.createUser();
    const vault = openVault(api, user.token);
    await vault.add("brief", { expiresAt: clock.now + 12 * HOUR_MS });
    await vault.add("long", { expiresAt: clock.now + 8 * DAY_MS });
    const [brief, long] = [openShield(api, user.token, "brief"), openShield(api, user.token, "long")];
    const on = (ms: number) => ({ attackModeEnabled: true, attackModeActiveUntil: clock.now + ms });
    for (const { status, text } of [await brief.set(on(12 * HOUR_MS)), await long.set(on(5 * DAY_MS))]) {
      assert.equal(status, 200, text);
    }
    for (const ms of JUMPS_MS) {
      await jump(ms);
      await keepHouse();
    }
    const told = await api.readEvents(user.id);
    const notices = told.filter(({ type }) => type === "secret-expiring");
    assert.deepEqual(
      notices.map(({ payload }) => `${payload.name} ${payload.notice}`),
      ["brief expired", "long week"],
    );
    const ended = told.filter(({ type }) => type === "attack-mode-disabled");
    assert.deepEqual(
      ended.map(({ entityId }) => entityId),
      ["brief"],
    );
    assert.equal((await vault.read("long")).status, 200);
    await assertWhole();
  });

  it("of idempotency keys: a request before the key's expiry is not executed again", async () => {
    const user = await api.createUser();
    async function post(key: string): Promise<Body> {
      const headers = { "idempotency-key": key };
      const { status, body, text } = await request("POST", "/v1/events", {
        token: user.token,
        headers,
        body: { type: "deployment.created", payload: {} },
      });
      assert.equal(status, 200, text);
      return body;
    }
    const first = await post("a");
    clock.advance(DAY_MS - MINUTE_MS);
    await keepHouse();
    const ahead = await post("b");
    assert.deepEqual([await post("a"), await post("b")], [first, ahead]);
    await jump(MINUTE_MS - DAY_MS);
    await keepHouse();
    assert.deepEqual([await post("a"), await post("b")], [first, ahead]);
    // It lasts for a day by the clock of its creation, and no longer.
    await jump(2 * DAY_MS);
    await keepHouse();
    assert.notDeepEqual(await post("b"), ahead);
    await jump(-2 * DAY_MS);
  });

  it("of rate limits: no client waits a day for a window that began ahead", async () => {
    const limited = await startOwnApp({ rateLimit: "3" });
    const count = async () => {
      const statuses: number[] = [];
      for (let round = 0; round < 4; round++) statuses.push((await limited.request("GET", "/v2/user")).status);
      return statuses;
    };
    limited.clock.advance(MINUTE_MS);
    for (const ms of JUMPS_MS) {
      limited.clock.advance(ms);
      assert.deepEqual(await count(), [200, 200, 200, 429]);
    }
  });
});
