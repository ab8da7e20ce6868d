// Ten concurrent writers of one switch: every event starts from the state after the previous one, and an end is recorded once,
// however many find it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { App } from "../../src/serve/app.ts";
import { isStoreFailure } from "../../src/platform/store/failure.ts";
import { HOUR_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { openShield } from "../resources/attack-mode.ts";
import { patiently, waitFor } from "../harness/wait-for.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import type { RecordedEvent } from "../harness/test-app.ts";

const client = await startOwnApp();
const { app, clock, createUser, readEvents, startAnother } = client;
const second = await startAnother();
const nodes = [app, second];

const WRITERS = 10;

async function ownShields() {
  const { id, token } = await createUser();
  return {
    /** The state as each service returns it. */
    shields: nodes.map((node) =>
      openShield({ request: patiently((method, url, options = {}) => send(node, method, url, options)) }, token),
    ),
    changes: async () => (await readEvents(id)).filter(({ type }) => type.startsWith("attack-mode-")),
  };
}

const atOnce = <T>(work: (at: number) => Promise<T>) =>
  Promise.all(Array.from({ length: WRITERS }, (_, at) => work(at)));

/** Every event is a change that starts from the state after the previous one. */
function assertUnbroken(events: readonly RecordedEvent[]): void {
  let state = { attackModeEnabled: false, attackModeActiveUntil: null };
  for (const { previous, next } of events) {
    assert.deepEqual(previous, state);
    assert.ok(!isDeepStrictEqual(previous, next));
    state = next;
  }
}

test("concurrent toggles leave an unbroken chain of changes, and as many revisions", async () => {
  const { shields, changes } = await ownShields();
  const responses = await atOnce((at) =>
    (shields[at % 2] ?? assert.fail()).set(
      at % 3 === 0
        ? { attackModeEnabled: false }
        : { attackModeEnabled: true, attackModeActiveUntil: clock.now + 1 + at },
    ),
  );
  assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
  const events = await changes();
  assertUnbroken(events);
  for (const shield of shields) {
    const { body, headers } = await shield.get();
    const { attackModeEnabled, attackModeActiveUntil } = body;
    assert.deepEqual({ attackModeEnabled, attackModeActiveUntil }, events.at(-1)?.next);
    assert.equal(headers["etag"], `"${events.length}"`);
  }
});

test("of ten concurrent switches of one revision, one succeeds", async () => {
  const { shields, changes } = await ownShields();
  const responses = await atOnce((at) =>
    (shields[at % 2] ?? assert.fail()).set(
      { attackModeEnabled: true, attackModeActiveUntil: clock.now + 1_000 + at },
      { "if-match": '"0"' },
    ),
  );
  assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  assert.equal(responses.filter(({ status }) => status === 412).length, WRITERS - 1);
  assert.equal((await changes()).length, 1);
});

/** As a background job does, which runs again where it waited too long for a lock. */
const endAttackModes = (node: App) =>
  waitFor("the job to run", async () => {
    try {
      await node.runner.changes.endAttackModes(null, clock.now);
      return true;
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return false;
    }
  });

test("an end that background jobs and changes find concurrently is recorded once, before the change", async () => {
  const { shields, changes } = await ownShields();
  await shields[0]?.set({ attackModeEnabled: true, attackModeActiveUntil: clock.now + HOUR_MS });
  clock.advance(HOUR_MS);
  const next = { attackModeEnabled: true, attackModeActiveUntil: clock.now + HOUR_MS };
  await atOnce(async (at) => {
    const node = nodes[at % 2] ?? assert.fail();
    if (at % 5 < 3) await endAttackModes(node);
    else assert.equal((await shields[at % 2]?.set(next))?.status, 200);
  });
  const events = await changes();
  assertUnbroken(events);
  assert.deepEqual(
    events.map(({ type, principalId }) => [type, principalId === "system"]),
    [
      ["attack-mode-enabled", false],
      ["attack-mode-disabled", true],
      ["attack-mode-enabled", false],
    ],
  );
});
