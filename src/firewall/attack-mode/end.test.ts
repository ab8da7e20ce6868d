import assert from "node:assert/strict";
import { test } from "node:test";
import { openShield } from "../../../test/resources/attack-mode.ts";
import { send, startOwnApp } from "../../../test/harness/test-app.ts";
import { waitFor } from "../../../test/harness/wait-for.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { App } from "../../serve/app.ts";

const client = await startOwnApp();
const { clock, createUser, readEvents, startAnother } = client;
let { app } = client;

async function ownShield(projectId?: string) {
  const user = await createUser();
  const request = (...[method, url, options = {}]: Parameters<typeof client.request>) =>
    send(app, method, url, options);
  return {
    user,
    shield: openShield({ request }, user.token, projectId),
    endsOf: async () => (await readEvents(user.id)).filter(({ type }) => type === "attack-mode-disabled"),
  };
}

/** How long the mode is on. */
const onFor = (ms: number) => ({ attackModeEnabled: true, attackModeActiveUntil: clock.now + ms });

/** Runs the background job that every process runs each second. */
async function recordEnds({ runner }: App = app): Promise<void> {
  for (let step = 0; step < 1_000; step++) {
    if ((await runner.changes.endAttackModes(null, clock.now)) === 0) return;
  }
  assert.fail("recording finds no end");
}

test("it is on until its end and off from then on, whether the end is recorded or not", async () => {
  const { shield, endsOf } = await ownShield("shop");
  const { body } = await shield.set(onFor(HOUR_MS));
  const end = body.attackModeActiveUntil;
  clock.advance(HOUR_MS - 1);
  await recordEnds();
  const before = await shield.get();
  assert.deepEqual([before.body, before.headers["etag"]], [body, '"1"']);
  assert.equal((await endsOf()).length, 0);

  clock.advance(1);
  const off = { attackModeEnabled: false, attackModeUpdatedAt: end, attackModeActiveUntil: null };
  const atOnce = await shield.get();
  assert.deepEqual([atOnce.body, atOnce.headers["etag"]], [off, '"2"']);
  clock.advance(SECOND_MS);
  await recordEnds();
  await recordEnds();
  const recorded = await shield.get();
  assert.deepEqual([recorded.body, recorded.headers["etag"]], [off, '"2"']);

  const events = await endsOf();
  assert.equal(events.length, 1);
  const [{ principalId, entityId, text, payload, previous, next } = assert.fail()] = events;
  assert.deepEqual([principalId, entityId], ["system", "shop"]);
  assert.equal(text, "Reeve switched attack challenge mode of shop off, because its time was over");
  assert.deepEqual(payload, {
    projectId: "shop",
    attackModeEnabled: false,
    prevAttackModeEnabled: true,
    prevAttackModeActiveUntil: end,
  });
  assert.deepEqual(previous, { attackModeEnabled: true, attackModeActiveUntil: end });
  assert.deepEqual(next, { attackModeEnabled: false, attackModeActiveUntil: null });
});

test("the background job records the end", async () => {
  const { shield, endsOf } = await ownShield();
  await shield.set(onFor(1));
  clock.advance(1);
  await waitFor("the end to be recorded", async () => (await endsOf()).length > 0);
});

test("a change after the end records the end first", async () => {
  const { user, shield, endsOf } = await ownShield();
  const end = (await shield.set(onFor(HOUR_MS))).body.attackModeActiveUntil;
  clock.advance(2 * HOUR_MS);
  const on = await shield.set({ attackModeEnabled: true });
  assert.deepEqual([on.status, on.body.attackModeUpdatedAt, on.headers["etag"]], [200, clock.now, '"3"']);
  await recordEnds();
  assert.deepEqual(
    (await readEvents(user.id)).slice(-3).map(({ type, principalId }) => [type, principalId]),
    [
      ["attack-mode-enabled", user.id],
      ["attack-mode-disabled", "system"],
      ["attack-mode-enabled", user.id],
    ],
  );
  const { payload } = (await readEvents(user.id)).at(-1) as Body;
  assert.deepEqual([payload.prevAttackModeEnabled, payload.prevAttackModeActiveUntil], [false, undefined]);

  await shield.set(onFor(HOUR_MS));
  clock.advance(HOUR_MS);
  const off = await shield.set({ attackModeEnabled: false }, { "if-match": '"5"' });
  assert.deepEqual([off.status, off.body.attackModeUpdatedAt], [200, clock.now], "it was off already");
  const ends = await endsOf();
  assert.deepEqual(
    ends.map(({ principalId, payload: { prevAttackModeActiveUntil: prev } }) => [principalId, prev]),
    [
      ["system", end],
      ["system", clock.now],
    ],
  );
});

test("a mode that was switched off, extended or made permanent does not end at the earlier time", async () => {
  const { shield, endsOf } = await ownShield();
  for (const next of [onFor(3 * HOUR_MS), { attackModeEnabled: true }, { attackModeEnabled: false }]) {
    await shield.set(onFor(HOUR_MS));
    const set = await shield.set(next);
    clock.advance(HOUR_MS + 1);
    await recordEnds();
    assert.deepEqual((await shield.get()).body, set.body);
    await shield.set({ attackModeEnabled: false });
  }
  assert.deepEqual(new Set((await endsOf()).map(({ principalId }) => principalId === "system")), new Set([false]));
});

test("two services side by side record each end once", async () => {
  const projects = await Promise.all(Array.from({ length: 5 }, (_, at) => ownShield(`p${at}`)));
  const { user } = await ownShield();
  const many = Array.from({ length: 5 }, (_, at) => openShield(client, user.token, `own${at}`));
  for (const shield of [...projects.map((one) => one.shield), ...many]) await shield.set(onFor(HOUR_MS));
  clock.advance(HOUR_MS);
  const second = await startAnother();
  await Promise.all([recordEnds(app), recordEnds(second), recordEnds(app), recordEnds(second)]);
  const endsOfUser = async () => (await readEvents(user.id)).filter(({ type }) => type === "attack-mode-disabled");
  // A busy store leaves ends for the next time.
  await waitFor("each end", async () => {
    await recordEnds(app);
    const all = await Promise.all([endsOfUser(), ...projects.map(({ endsOf }) => endsOf())]);
    return all.every((ends) => ends.length > 0);
  });
  for (const { endsOf } of projects) assert.equal((await endsOf()).length, 1);
  assert.deepEqual(
    (await endsOfUser()).map(({ entityId }) => entityId).toSorted(),
    many.map((_shield, at) => `own${at}`),
  );
  const other = await send(second, "GET", "/v1/attack-challenge-mode?projectId=own0", { token: user.token });
  assert.equal(other.body.attackModeEnabled, false);
  await second.close();
});

test("after a restart long after the end it is off, with one event", async () => {
  const { shield, endsOf } = await ownShield();
  const running = await ownShield();
  const end = (await shield.set(onFor(HOUR_MS))).body.attackModeActiveUntil;
  await running.shield.set(onFor(30 * DAY_MS));
  await app.close();
  clock.advance(20 * DAY_MS);
  app = await startAnother();
  assert.deepEqual((await shield.get()).body.attackModeUpdatedAt, end);
  await recordEnds();
  await recordEnds();
  assert.equal((await endsOf()).length, 1);
  assert.equal((await running.shield.get()).body.attackModeEnabled, true);
  assert.equal((await running.endsOf()).length, 0);
});
