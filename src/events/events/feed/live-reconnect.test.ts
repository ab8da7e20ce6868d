// Clients of the live stream that reconnect again and again while another client writes. Each event arrives once, whichever
// of two servers on the database the clients use.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { send, startOwnApp } from "../../../../test/harness/test-app.ts";
import type { TestTeam, TestUser } from "../../../../test/harness/test-app.ts";
import { openFeed, sequencesOf } from "../../../../test/resources/event-feed.ts";
import { listen, listenTo } from "../../../../test/resources/event-streams.ts";
import { HOUR_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { App } from "../../../serve/app.ts";

const DISCONNECTS = 30;
const MAX_SEEN = 9;
const WRITES = 150;
/** The team's creation is the first event. */
const LAST = String(WRITES + 1);

// Without heartbeats, an event arrives only because the server was notified of it.
const app = await startOwnApp({}, undefined, { heartbeatMs: HOUR_MS });
const { createUser, createTeam } = app;
const { find } = openFeed(app);
const other = await app.startAnother();
const ports = [await listen(app.app), await listen(other)] as const;

const seed = Math.floor(Math.random() * 2 ** 31);

/** Whole numbers below `limit`, the same for the same seed. */
function createDice(start: number): (limit: number) => number {
  let state = start;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
}

/** Listens until the last event arrives, over many connections, and returns the sequences that arrived. */
async function listenOnAndOff(path: string, { token }: TestUser, roll: (limit: number) => number): Promise<number[]> {
  const seen: number[] = [];
  let lastEventId = "";
  for (let connections = 1; ; connections++) {
    const port = ports[roll(ports.length)] as number;
    const stream = await listenTo(port, path, token, lastEventId === "" ? {} : { "last-event-id": lastEventId });
    assert.equal(stream.status, 200);
    const hasLast = () => lastEventId === LAST || stream.events.at(-1)?.id === LAST;
    const enough = connections > DISCONNECTS ? Infinity : roll(MAX_SEEN);
    await stream.until(({ events }) => events.length >= enough || hasLast());
    seen.push(...stream.events.map(({ id }) => Number(id)));
    lastEventId = stream.events.at(-1)?.id ?? lastEventId;
    stream.close();
    if (connections > DISCONNECTS && hasLast()) return seen;
  }
}

/** Each write records one event. Every third is of another type; the last one is of the common type. */
async function write(user: TestUser, team: TestTeam, targets: readonly App[]): Promise<void> {
  for (let index = 0; index < WRITES; index++) {
    const body = index % 3 === 0 ? { description: `${index}` } : { name: `${index}` };
    const target = targets[index % targets.length] as App;
    const { status, text } = await send(target, "PATCH", `/v2/teams/${team.id}`, { token: user.token, body });
    assert.equal(status, 200, text);
  }
}

describe("clients that reconnect", () => {
  for (const [through, targets] of [
    ["one", [app.app]],
    ["both", [app.app, other]],
  ] as const) {
    it(`receive each event once, written through ${through} of two servers`, async () => {
      const user = await createUser();
      const team = await createTeam(user);
      const path = `/v3/events/stream?teamId=${team.id}&after=0`;
      const roll = createDice(seed);
      const [all, renames] = await Promise.all([
        listenOnAndOff(path, user, roll),
        listenOnAndOff(`${path}&types=team-name-update`, user, roll),
        write(user, team, targets),
      ]);
      const expected = await find(user, team, "&after=0&limit=250");
      assert.equal(String(expected.at(-1).sequence), LAST);
      assert.deepEqual(all, sequencesOf(expected), `seed ${seed}`);
      const expectedRenames = expected.filter(({ type }) => type === "team-name-update");
      assert.deepEqual(renames, sequencesOf(expectedRenames), `seed ${seed}`);
    });
  }

  it("receive events that another server writes", async () => {
    const user = await createUser();
    const team = await createTeam(user);
    const stream = await listenTo(ports[1], `/v3/events/stream?teamId=${team.id}`, user.token);
    await stream.until(({ lastEventId }) => lastEventId === "1");
    await write(user, team, [app.app]);
    await stream.until(({ lastEventId }) => lastEventId === LAST);
    stream.close();
  });
});
