import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { openFeed } from "../../../test/resources/event-feed.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { EventReader } from "./event-reader.ts";
import type { EventPart, WaitingDelivery } from "../queue/delivery-store.ts";

const app = await startOwnApp();
const { plant } = openFeed(app);
const user = await app.createUser();

/** A team with as many events after the one of its creation; each says which it is. */
async function createTeam(events: number) {
  const team = await app.createTeam(user);
  await plant(
    team,
    Array.from({ length: events }, (_, at) => ({ payload: { sequence: at + 2 } })),
  );
  return team.id;
}

/** Reads events, and notes by which statements. */
const withReader = (work: (events: EventReader, asked: readonly string[]) => Promise<void>) =>
  app.withStore(async ({ reader }) => {
    const asked: string[] = [];
    const noting: Tx = {
      engine: reader.engine,
      one: (...args) => reader.one(...args),
      run: (...args) => reader.run(...args),
      write: (...args) => reader.write(...args),
      many(statement, params) {
        asked.push(`${String(params["ownerId"])} ${statement.name}`);
        return reader.many(statement, params);
      },
    };
    await work(new EventReader(noting), asked);
  });

const waiting = (sequence: number): WaitingDelivery => {
  return { sequence, type: "team", attempts: 0, tries: 0, dueAt: 0, createdAt: 0 };
};
const sequencesIn = (deliveries: readonly EventPart[]) =>
  deliveries.map(({ payload }) => payload && (JSON.parse(payload) as { readonly sequence: number }).sequence);

test("workers that ask about one owner at the same time share a statement", async () => {
  const [one, other] = [await createTeam(3), await createTeam(3)];
  await withReader(async (events, asked) => {
    const found = await Promise.all([
      events.addTo(one, [waiting(3), waiting(2)]),
      events.addTo(one, [waiting(3), waiting(4)]),
      events.addTo(other, [waiting(4)]),
    ]);
    assert.deepEqual(found.map(sequencesIn), [[3, 2], [3, 4], [4]]);
    assert.deepEqual(asked, [`${one} events.readRangeToSend`, `${other} events.readRangeToSend`]);
  });
});

test("events that are far apart are looked for, and one that is no longer kept has no payload", async () => {
  const team = await createTeam(20);
  await app.query(`delete from events where owner_id = '${team}' and sequence = 10`);
  await withReader(async (events, asked) => {
    const found = await events.addTo(team, [waiting(2), waiting(10), waiting(20)]);
    assert.deepEqual(sequencesIn(found), [2, null, 20]);
    assert.deepEqual(asked, [`${team} events.readEachToSend`]);
    assert.deepEqual(await events.addTo(team, []), []);
    assert.equal(asked.length, 1);
  });
});

test("many events are read by several statements", async () => {
  const team = await createTeam(1_100);
  await withReader(async (events, asked) => {
    const sequences = Array.from({ length: 1_100 }, (_, at) => at + 2);
    assert.deepEqual(sequencesIn(await events.addTo(team, sequences.map(waiting))), sequences);
    assert.equal(asked.length, 3);
  });
});
