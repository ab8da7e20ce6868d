// Attack challenge mode that switches itself, through HTTP.
import assert from "node:assert/strict";
import { test } from "node:test";
import { latencies, openAutomatic } from "../../../../test/resources/automatic.ts";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import { createKey } from "../../../../test/resources/api-keys.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { clock, startAnother } = client;
let { app } = client;

const openProject = () => openAutomatic(client, () => app);

/** A project with a day of `usual` requests a minute, whose mode switches itself. */
async function watchedProject(usual = 400) {
  const project = await openProject();
  await project.live({ requests: usual });
  assert.equal((await project.set(true)).status, 200);
  return project;
}

async function recordEnds(): Promise<void> {
  while ((await app.runner.changes.endAttackModes(null, clock.now)) > 0);
}

async function learnAll(): Promise<void> {
  while ((await app.runner.changes.learnUsualTraffic(null, clock.now)) > 0);
}

test("it is off by default and shows its figures, and what it would have done", async () => {
  const { get, live, requests, isOn } = await openProject();
  const nothing = { usual: null, limit: null, latest: null };
  assert.deepEqual(await get(), {
    enabled: false,
    updatedAt: null,
    isOn: false,
    pausedUntil: null,
    knownSince: null,
    learnedAt: null,
    requests: nothing,
    errors: nothing,
    latencyMs: nothing,
    lastUnusual: null,
  });
  await live({ requests: 300, responses: { count: 200, errors: 1, latencies: latencies(200, 40) } });
  const attackedAt = clock.now;
  await requests(1_300);
  await requests(7);
  clock.advance(MINUTE_MS);
  await requests(5);
  const shown = await get();
  assert.deepEqual(shown.requests, { usual: 300, limit: 1_200, latest: 1_307 });
  assert.deepEqual(shown.errors, { usual: 1, limit: 100, latest: null });
  assert.deepEqual([shown.latencyMs.limit, shown.latencyMs.usual > 32], [1_000, true]);
  assert.equal(shown.knownSince, attackedAt - DAY_MS);
  assert.deepEqual(shown.lastUnusual, {
    at: attackedAt,
    measure: "requests",
    measured: 1_307,
    usual: 300,
    limit: 1_200,
  });
  assert.equal(await isOn(), false);
});

test("it switches the mode on with the report that passes the limit, and off by itself, each with the reason", async () => {
  const { projectId, requests, isOn, events, get, shield } = await watchedProject();
  await requests(1_600);
  assert.equal(await isOn(), false, "as much as four times what is usual");
  clock.advance(10 * SECOND_MS);
  await requests(1);
  const end = clock.now + 10 * MINUTE_MS;
  const { body } = await shield.get();
  assert.deepEqual(body, { attackModeEnabled: true, attackModeUpdatedAt: clock.now, attackModeActiveUntil: end });
  assert.equal((await get()).isOn, true);
  clock.advance(10 * MINUTE_MS);
  assert.equal(await isOn(), false);
  await recordEnds();
  const [, on, off, ...rest] = await events();
  assert.deepEqual(rest, []);
  assert.deepEqual([on?.type, on?.principalId, on?.entityId], ["attack-mode-enabled", "system", projectId]);
  const reason = "1601 requests came in a minute, and 400 are usual at most";
  assert.equal(
    on?.text,
    `Reeve switched attack challenge mode of ${projectId} on until ${new Date(end).toISOString()}, because ${reason}`,
  );
  assert.deepEqual(on?.payload, {
    projectId,
    attackModeEnabled: true,
    attackModeActiveUntil: end,
    prevAttackModeEnabled: false,
    reason,
    measure: "requests",
    measured: 1_601,
    usual: 400,
    limit: 1_600,
  });
  assert.deepEqual([off?.type, off?.principalId], ["attack-mode-disabled", "system"]);
  assert.match(off?.text ?? "", /off, because nothing unusual was reported any more$/);
  assert.equal(off?.payload.reason, "nothing unusual was reported any more");
});

test("it stays on while a minute has more than half of the limit, and records that at most every five minutes", async () => {
  const { requests, isOn, events } = await watchedProject();
  await requests(2_000);
  for (let minute = 0; minute < 30; minute++) {
    clock.advance(MINUTE_MS);
    await requests(801);
    assert.equal(await isOn(), true, `minute ${minute}`);
  }
  const kept = (await events()).filter(({ text }) => text.includes("kept attack challenge mode"));
  assert.ok(kept.length >= 3 && kept.length <= 6, `${kept.length}`);
  let calm = 0;
  for (; await isOn(); calm++) {
    clock.advance(MINUTE_MS);
    await requests(800);
    assert.ok(calm < 11, "it does not end");
  }
  assert.ok(calm >= 5, `${calm} minutes`);
});

test("what is usual at a small site has a floor, and without a day of history nothing happens", async () => {
  const small = await watchedProject(2);
  await small.requests(1_000);
  assert.equal(await small.isOn(), false);
  await small.requests(1);
  assert.equal(await small.isOn(), true);
  const young = await openProject();
  await young.set(true);
  await young.requests(1_000_000);
  assert.deepEqual([await young.isOn(), (await young.get()).requests.limit], [false, null]);
});

test("errors and slow responses of the application switch it on too", async () => {
  const usual = { count: 1_000, errors: 10, latencies: latencies(1_000, 400) };
  for (const [measure, count, errors, ms] of [
    ["errors", 400, 101, 300],
    ["latency", 400, 0, 4_000],
  ] as const) {
    const { live, set, responses, isOn, events } = await openProject();
    await live({ requests: 1_000, responses: usual });
    await set(true);
    await responses(400, 20, 300);
    assert.equal(await isOn(), false);
    clock.advance(MINUTE_MS);
    await responses(count, errors, ms);
    assert.equal(await isOn(), true, measure);
    const { payload } = (await events()).at(-1) ?? {};
    assert.equal(payload.measure, measure);
  }
});

test("slow responses are not judged while they are few", async () => {
  const { live, set, responses, isOn } = await openProject();
  await live({ requests: 100, responses: { count: 100, errors: 0, latencies: latencies(100, 20) } });
  await set(true);
  await responses(99, 0, 30_000);
  assert.equal(await isOn(), false);
  await responses(1, 0, 30_000);
  assert.equal(await isOn(), true);
});

test("what a person has switched on stays as it is", async () => {
  const { requests, shield } = await watchedProject();
  await shield.set({ attackModeEnabled: true });
  await requests(50_000);
  assert.equal((await shield.get()).body.attackModeActiveUntil, null);
  const until = clock.now + 2 * MINUTE_MS;
  await shield.set({ attackModeEnabled: true, attackModeActiveUntil: until });
  await requests(50_000);
  assert.equal((await shield.get()).body.attackModeActiveUntil, until);
  clock.advance(2 * MINUTE_MS);
  await requests(50_000);
  assert.equal((await shield.get()).body.attackModeActiveUntil, clock.now + 10 * MINUTE_MS, "it goes on by itself");
});

test("a person who changes the end of an automatic mode keeps it", async () => {
  const { requests, shield, get } = await watchedProject();
  await requests(5_000);
  const until = clock.now + 3 * MINUTE_MS;
  await shield.set({ attackModeEnabled: true, attackModeActiveUntil: until });
  await requests(5_000);
  assert.deepEqual([(await shield.get()).body.attackModeActiveUntil, (await get()).isOn], [until, false]);
});

test("for an hour after a person has switched it off it stays off", async () => {
  const { requests, shield, isOn, get } = await watchedProject();
  await requests(5_000);
  await shield.set({ attackModeEnabled: false });
  const pausedUntil = clock.now + HOUR_MS;
  clock.advance(HOUR_MS - 1);
  await requests(5_000);
  assert.deepEqual([await isOn(), (await get()).pausedUntil], [false, pausedUntil]);
  clock.advance(1);
  await requests(5_000);
  assert.deepEqual([await isOn(), (await get()).pausedUntil], [true, null]);
});

test("reports of minutes that are long over switch nothing on, and disabled it does nothing", async () => {
  const { requests, isOn, set } = await watchedProject();
  await requests(5_000, { at: clock.now - 5 * MINUTE_MS });
  assert.equal(await isOn(), false);
  await set(false);
  await requests(5_000);
  assert.equal(await isOn(), false);
});

test("minutes in the mode are not learned from, and what is usual is learned again each hour", async () => {
  const { requests, get, isOn } = await watchedProject();
  const { learnedAt } = await get();
  await learnAll();
  assert.equal((await get()).learnedAt, learnedAt);
  await requests(5_000);
  for (let minute = 0; minute < 100; minute++) {
    clock.advance(MINUTE_MS);
    await requests(50_000);
    assert.equal(await isOn(), true);
  }
  clock.advance(MINUTE_MS);
  await learnAll();
  const learned = await get();
  assert.ok(learned.learnedAt > learnedAt);
  assert.deepEqual([learned.requests.usual, learned.requests.limit], [400, 1_600]);
});

test("changing it needs the permission and the revision, and is an event", async () => {
  const { set, get, events, user, projectId } = await openProject();
  const first = await set(true, { "if-match": '"0"' });
  assert.deepEqual([first.status, first.body.enabled, first.headers["etag"]], [200, true, '"1"']);
  assert.equal((await set(true)).headers["etag"], '"1"', "nothing changes");
  assert.equal((await set(false, { "if-match": '"0"' })).status, 412);
  assert.equal((await set(false, { "if-match": '"1"' })).status, 200);
  assert.equal((await get()).enabled, false);
  assert.deepEqual(
    (await events()).map(({ type, principalId, payload }) => [type, principalId, payload]),
    [true, false].map((enabled) => [
      `attack-mode-automatic-${enabled ? "enabled" : "disabled"}`,
      user.id,
      { projectId, enabled },
    ]),
  );
  const token = (await createKey(client, user.token, "", { permissions: ["firewall:read"] })).body.value as string;
  const url = `/v1/attack-challenge-mode/automatic?projectId=${projectId}`;
  assert.equal((await client.request("PATCH", url, { token, body: { enabled: true } })).status, 403);
  assert.equal((await client.request("GET", url, { token })).status, 200);
});

test("a report needs something to report, and errors among its responses", async () => {
  const { user } = await openProject();
  const report = (body: object) => client.request("POST", "/v1/firewalls/traffic", { token: user.token, body });
  const bad = [
    [{ counts: [] }, "body.counts"],
    [{ counts: [], responses: [{ at: clock.now, count: 1, errors: 2 }] }, "body.responses[0].errors"],
    [{ counts: [], responses: [{ at: 0, count: 1, errors: 0 }] }, "body.responses[0].at"],
  ] as const;
  for (const [body, field] of bad) {
    const { status, body: answer } = await report(body);
    assert.deepEqual([status, answer.error.field], [400, field]);
  }
  const short = await report({ counts: [], responses: [{ at: clock.now, count: 1, errors: 0, latencies: [1] }] });
  assert.equal(short.status, 400);
});

test("two processes that get reports at once switch it on once, and a restart changes nothing", async () => {
  const project = await watchedProject();
  const other = await startAnother();
  const beside = await Promise.all(
    [app, other].map(async (one) => {
      const path = `/v1/firewalls/traffic?projectId=${project.projectId}`;
      const counts = [{ at: clock.now, host: "example.com", action: "allow", count: 2_000 }];
      const reports = Array.from({ length: 5 }, () =>
        one.server.inject({
          method: "POST",
          url: path,
          headers: { authorization: `Bearer ${project.user.token}` },
          payload: { counts },
        }),
      );
      return (await Promise.all(reports)).map(({ statusCode }) => statusCode);
    }),
  );
  assert.deepEqual(new Set(beside.flat()), new Set([200]));
  const switched = async () => (await project.events()).filter(({ type }) => type === "attack-mode-enabled");
  assert.equal((await switched()).length, 1);
  await other.close();
  await app.close();
  clock.advance(6 * MINUTE_MS);
  app = await startAnother();
  assert.equal(await project.isOn(), true);
  await project.requests(2_000);
  assert.equal((await switched()).length, 2, "its end is put off");
  clock.advance(10 * MINUTE_MS);
  await recordEnds();
  assert.equal(await project.isOn(), false);
  assert.equal((await project.get()).requests.usual, 400);
});
