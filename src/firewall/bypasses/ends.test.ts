import assert from "node:assert/strict";
import { test } from "node:test";
import { openBypassList } from "../../../test/resources/bypasses.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { app, clock, startAnother } = client;

const BODY = { domain: "example.com", sourceIp: "192.0.2.1" };

async function openList() {
  const { add, remove, list, events } = await openBypassList(client);
  return {
    add,
    remove,
    count: async () => (await list()).result.length,
    deletions: async () => (await events()).filter(({ type }) => type === "firewall-bypass-deleted"),
  };
}

/** Runs the background job of each minute. Returns what each step did. */
async function tidy({ runner } = app): Promise<number[]> {
  const steps: number[] = [];
  while (steps.at(-1) !== 0 && steps.length < 100) steps.push(await runner.changes.endBypasses(null, clock.now));
  return steps;
}

test("an entry expires to the millisecond for readers, and its end is recorded once", async () => {
  const { add, remove, count, deletions } = await openList();
  await add({ ...BODY, ttl: MINUTE_MS });
  const expiresAt = clock.now + MINUTE_MS;
  clock.advance(MINUTE_MS - 1);
  assert.deepEqual(await tidy(), [0]);
  assert.equal(await count(), 1);
  clock.advance(1);
  assert.equal(await count(), 0);
  assert.equal((await remove(BODY)).status, 404);
  assert.deepEqual(await deletions(), []);
  assert.deepEqual(await tidy(), [1, 0]);
  assert.deepEqual(await tidy(), [0]);
  const [event, ...others] = await deletions();
  assert.deepEqual(others, []);
  assert.equal(event?.principalId, "system");
  assert.equal(event?.entityId, "default#example.com#192.0.2.1");
  assert.deepEqual(event?.payload, { projectId: "default", scope: "example.com", source: "192.0.2.1", expiresAt });
  assert.equal(
    event?.text,
    "Reeve took 192.0.2.1 off the bypass list of default for example.com, where the time had ended",
  );
});

test("a renewed entry expires at its new time, and one without expiry stays", async () => {
  const { add, count } = await openList();
  await add({ ...BODY, ttl: MINUTE_MS });
  await add({ ...BODY, ttl: 2 * MINUTE_MS });
  await add({ ...BODY, sourceIp: "192.0.2.2", ttl: MINUTE_MS });
  await add({ ...BODY, sourceIp: "192.0.2.2" });
  clock.advance(MINUTE_MS);
  assert.deepEqual(await tidy(), [0]);
  assert.equal(await count(), 2);
  clock.advance(MINUTE_MS);
  assert.deepEqual(await tidy(), [1, 0]);
  assert.equal(await count(), 1);
});

test("an expired entry is a new one when it is added again, after its end is recorded", async () => {
  const { add, count, deletions } = await openList();
  await add({ ...BODY, note: "first", ttl: MINUTE_MS });
  clock.advance(MINUTE_MS);
  assert.equal((await add(BODY)).body.result[0].Note, "");
  assert.equal(await count(), 1);
  assert.deepEqual(await tidy(), [0]);
  assert.deepEqual(
    (await deletions()).map(({ principalId }) => principalId),
    ["system"],
  );
});

test("an entry for every client and the whole project expires after a day by default", async () => {
  const { add, count } = await openList();
  await add({ projectScope: true, allSources: true });
  await add({ domain: "example.com", allSources: true });
  clock.advance(DAY_MS - 1);
  assert.equal(await count(), 2);
  clock.advance(1);
  assert.equal(await count(), 1);
  await add({ projectScope: true, allSources: true, ttl: 2 * DAY_MS });
  clock.advance(DAY_MS);
  assert.equal(await count(), 2);
});

test("the ends of many owners are recorded once each, also by two concurrent processes", async () => {
  await tidy();
  const lists = await Promise.all(Array.from({ length: 5 }, openList));
  for (const { add } of lists) {
    for (const sourceIp of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) await add({ ...BODY, sourceIp, ttl: MINUTE_MS });
  }
  clock.advance(MINUTE_MS);
  const other = await startAnother();
  const steps = await Promise.all([tidy(), tidy(other)]);
  assert.equal(
    steps.flat().reduce((sum, step) => sum + step, 0),
    15,
  );
  for (const { deletions } of lists) assert.equal((await deletions()).length, 3);
});
