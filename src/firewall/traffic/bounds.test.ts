import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTraffic } from "../../../test/resources/traffic.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { app, clock, query } = client;

test("two hundred addresses per host and minute are counted separately, and the rest together", async () => {
  const { report, actions } = await openTraffic(client);
  const from = (first: number, last: number) =>
    Array.from({ length: last - first }, (_, at) => ({
      action: "deny",
      ip: `10.0.${(first + at) >> 8}.${(first + at) & 255}`,
    }));
  await report(from(0, 150));
  await report(from(100, 300));
  const counts = new Map<string, number>((await actions()).map(({ public_ip, count }: Body) => [public_ip, count]));
  assert.equal(counts.size, 201);
  assert.deepEqual(
    ["10.0.0.0", "10.0.0.149", "10.0.0.199", "10.0.0.200", ""].map((ip) => counts.get(ip)),
    [1, 2, 1, undefined, 100],
  );
  await report([
    { action: "deny", ip: "10.0.0.199" },
    { action: "deny", ip: "10.9.9.9" },
  ]);
  const later = new Map<string, number>((await actions()).map(({ public_ip, count }: Body) => [public_ip, count]));
  assert.deepEqual([later.size, later.get("10.0.0.199"), later.get("")], [201, 2, 101]);
});

test("a minute stores a bounded number of hosts and rules, and counts every request", async () => {
  const { user, report, actions } = await openTraffic(client);
  for (let batch = 0; batch < 4; batch++) {
    await report(
      Array.from({ length: 1_000 }, (_, at) => ({ action: "deny", host: `h${batch * 1_000 + at}`, ruleId: "r" })),
    );
  }
  await report(Array.from({ length: 1_000 }, (_, at) => ({ action: "challenge", host: "h0", ruleId: `r${at}` })));
  const [rows] = await query(
    `select count(*) as entries, sum(count) as requests from firewall_traffic where owner_id = '${user.id}'`,
  );
  assert.equal(Number(rows?.["requests"]), 5_000);
  const [totals] = await query(
    `select count(*) as entries, sum(total) as requests from firewall_traffic_minutes
      where owner_id = '${user.id}' and host <> ''`,
  );
  assert.equal(Number(totals?.["requests"]), 5_000);
  const kept = Number(rows?.["entries"]) + Number(totals?.["entries"]);
  assert.ok(kept >= 2_000 && kept <= 2_010, String(kept));
  assert.deepEqual(
    (await actions()).slice(0, 2).map(({ host, action, ruleId, count }: Body) => [host, action, ruleId, count]),
    [
      ["*", "deny", null, 3_000],
      ["*", "challenge", null, 1_000],
    ],
  );
});

test("a response has at most the newest thousand entries", async () => {
  const { report, actions } = await openTraffic(client);
  const old = Array.from({ length: 500 }, (_, at) => ({ action: "deny", ruleId: `old${at}`, at: clock.now - HOUR_MS }));
  const young = Array.from({ length: 600 }, (_, at) => ({ action: "deny", ruleId: `young${at}` }));
  await report([...old, ...young.slice(0, 500)]);
  await report(young.slice(500));
  const found = await actions();
  assert.equal(found.length, 1_000);
  assert.equal(found.filter(({ ruleId }: Body) => ruleId.startsWith("young")).length, 600);
});

test("traffic older than seven days is deleted in batches", async () => {
  const { user, flow } = await openTraffic(client);
  await flow(clock.now, 1, 5, { action: "deny" });
  await flow(clock.now - DAY_MS, 200, 5, { action: "deny" });
  const rows = async () => {
    const counts = [];
    for (const table of ["firewall_traffic", "firewall_traffic_minutes", "firewall_traffic_hours"]) {
      const [row] = await query(`select count(*) as rows from ${table} where owner_id = '${user.id}'`);
      counts.push(Number(row?.["rows"]));
    }
    return counts;
  };
  const prune = async () => {
    let steps = 0;
    while ((await app.runner.changes.pruneTraffic(null, clock.now)) > 0) steps++;
    return steps;
  };
  const before = await rows();
  clock.advance(6 * DAY_MS - 1);
  await prune();
  assert.deepEqual(await rows(), before);
  clock.advance(201 * MINUTE_MS);
  assert.ok((await prune()) >= 8);
  assert.deepEqual((await rows()).slice(0, 2), [1, 2]);
  clock.advance(DAY_MS);
  await prune();
  assert.deepEqual((await rows()).slice(0, 2), [0, 0]);
  clock.advance(3 * DAY_MS);
  await prune();
  assert.deepEqual(await rows(), [0, 0, 0]);
});
