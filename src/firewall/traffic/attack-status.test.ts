import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTraffic } from "../../../test/resources/traffic.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { clock } = client;

const HOST = "example.com";

/** A project after a normal day: 90 and 110 requests by turns, so a mean of 100 and a deviation of 10. */
async function openUsual() {
  clock.now = clock.now - (clock.now % HOUR_MS) + 10 * DAY_MS;
  const traffic = await openTraffic(client);
  await traffic.flow(clock.now - DAY_MS, 1_440, (minute) => (minute % 2 === 0 ? 90 : 110));
  return { ...traffic, start: clock.now };
}

test("there is no attack without reports, nor on a normal day", async () => {
  const quiet = await openTraffic(client);
  assert.deepEqual((await quiet.call("GET", "attack-status")).body, { anomalies: [] });
  const { attacks } = await openUsual();
  assert.deepEqual(await attacks(), []);
});

test("a minute far above the previous day is an anomaly, and ends after five quiet minutes", async () => {
  const { user, flow, attacks, start } = await openUsual();
  await flow(start, 1, 1_000);
  await flow(start + MINUTE_MS, 1, 1_300);
  clock.advance(MINUTE_MS);
  const alert = {
    at_minute: new Date(start + MINUTE_MS).toISOString(),
    zscore: 120,
    avg_requests: 100,
    stddev_requests: 10,
    total_requests_minute: 1_300,
  };
  const anomaly = {
    projectId: "default",
    ownerId: user.id,
    startTime: start,
    endTime: null,
    atMinute: start + MINUTE_MS,
    state: "active",
    affectedHostMap: { [HOST]: { anomalyAlerts: { [alert.at_minute]: alert } } },
  };
  assert.deepEqual(await attacks(), [anomaly]);
  clock.now = start + 7 * MINUTE_MS - 1;
  assert.deepEqual(await attacks(), [anomaly]);
  clock.advance(1);
  const ended = { ...anomaly, endTime: start + 2 * MINUTE_MS, state: "ended" };
  assert.deepEqual(await attacks(), [ended]);
  clock.advance(DAY_MS - 6 * MINUTE_MS);
  assert.deepEqual(
    (await attacks()).map(({ startTime }: Body) => startTime),
    [start + MINUTE_MS],
    "what is older than a day is left out minute by minute",
  );
  clock.advance(MINUTE_MS);
  assert.deepEqual(await attacks(), []);
  assert.deepEqual(await attacks("&since=2"), [ended]);
  clock.advance(6 * DAY_MS);
  assert.deepEqual(await attacks("&since=7"), []);
});

test("few unusual requests are no anomaly, and neither are many usual ones", async () => {
  const little = await openUsual();
  await little.flow(little.start, 1, 999);
  assert.deepEqual(await little.attacks(), []);

  const busy = await openTraffic(client);
  await busy.flow(clock.now - DAY_MS, 1_440, (minute) => (minute % 2 === 0 ? 1_000 : 3_000));
  await busy.flow(clock.now, 1, 4_999);
  assert.deepEqual(await busy.attacks(), []);
  await busy.flow(clock.now, 1, 1);
  const [{ affectedHostMap }] = await busy.attacks();
  const [alert] = Object.values(affectedHostMap[HOST].anomalyAlerts) as [Body];
  assert.deepEqual(
    [alert.zscore, alert.avg_requests, alert.stddev_requests, alert.total_requests_minute],
    [3, 2_000, 1_000, 5_000],
  );
});

test("a new host has no anomalies in its first three hours", async () => {
  clock.now = clock.now - (clock.now % HOUR_MS) + 10 * DAY_MS;
  const fresh = await openTraffic(client);
  await fresh.flow(clock.now - HOUR_MS, 1, 10);
  clock.advance(2 * HOUR_MS);
  await fresh.flow(clock.now - MINUTE_MS, 1, 9_000);
  assert.deepEqual(await fresh.attacks(), []);
  await fresh.flow(clock.now, 1, 9_000);
  assert.equal((await fresh.attacks()).length, 1);
});

test("a steady host has a deviation of zero, which counts as one", async () => {
  clock.now = clock.now - (clock.now % HOUR_MS) + 10 * DAY_MS;
  const steady = await openTraffic(client);
  await steady.flow(clock.now - DAY_MS, 1_440, 1_000);
  await steady.flow(clock.now, 1, 1_002);
  assert.deepEqual(await steady.attacks(), []);
  await steady.flow(clock.now, 1, 1);
  const [{ affectedHostMap }] = await steady.attacks();
  assert.deepEqual(
    Object.values(affectedHostMap[HOST].anomalyAlerts).map(({ zscore, stddev_requests }: Body) => [
      zscore,
      stddev_requests,
    ]),
    [[3, 0]],
  );
});

test("more than 100 000 requests in ten minutes are a flood, also across hours, with their outcomes", async () => {
  clock.now = clock.now - (clock.now % HOUR_MS) + 10 * DAY_MS;
  const { flow, attacks } = await openTraffic(client);
  const start = clock.now - 5 * MINUTE_MS;
  await flow(start, 9, 10_000, { action: "deny" });
  clock.advance(4 * MINUTE_MS);
  await flow(clock.now, 1, 9_000, { action: "challenge" });
  assert.deepEqual(await attacks(), []);
  await flow(clock.now, 1, 1_000, { action: "allow" });
  assert.deepEqual(await attacks(), [], "not more");
  await flow(clock.now, 1, 1, { action: "log" });
  const [attack, ...others] = await attacks();
  assert.deepEqual(others, []);
  const atMinute = new Date(clock.now).toISOString();
  assert.deepEqual([attack.startTime, attack.atMinute, attack.state], [clock.now, clock.now, "active"]);
  assert.deepEqual(attack.affectedHostMap, {
    [HOST]: {
      ddosAlerts: {
        "sys_dos_mitigation:deny": { atMinute, totalReqs: 90_000 },
        "sys_dos_mitigation:challenge": { atMinute, totalReqs: 9_000 },
        "sys_dos_mitigation:allow": { atMinute, totalReqs: 1_001 },
      },
    },
  });
});

test("simultaneous attacks on several hosts are one attack, and a pause makes two", async () => {
  const { flow, attacks, start } = await openUsual();
  const other = "other.example";
  await flow(start - DAY_MS, 1_440, 10, { host: other });
  clock.advance(30 * MINUTE_MS);
  await flow(start, 2, 2_000);
  await flow(start + 3 * MINUTE_MS, 1, 3_000, { host: other });
  await flow(start + 8 * MINUTE_MS, 1, 2_000);
  await flow(start + 14 * MINUTE_MS, 1, 2_000);
  const found = (await attacks()).map(({ startTime, endTime, affectedHostMap }: Body) => [
    (startTime - start) / MINUTE_MS,
    (endTime - start) / MINUTE_MS,
    Object.keys(affectedHostMap),
  ]);
  assert.deepEqual(found, [
    [14, 15, [HOST]],
    [0, 9, [HOST, other]],
  ]);
});

test("the command line counts the denied and challenged requests of an attack", async () => {
  clock.now = clock.now - (clock.now % HOUR_MS) + 10 * DAY_MS;
  const { flow, attacks } = await openTraffic(client, "prj_1");
  await flow(clock.now, 2, 70_000, { action: "deny" });
  await flow(clock.now, 2, 30_000, { action: "challenge" });
  clock.advance(HOUR_MS);
  // The command line sums two keys over the hosts.
  const [anomaly] = await attacks("&since=1");
  const sum = (key: string) =>
    Object.values(anomaly.affectedHostMap).reduce<number>(
      (total, host: Body) => total + (host.ddosAlerts?.[`sys_dos_mitigation:${key}`]?.totalReqs ?? 0),
      0,
    );
  assert.deepEqual([sum("deny"), sum("challenge")], [140_000, 60_000]);
  assert.ok(anomaly.startTime < anomaly.endTime);
});
