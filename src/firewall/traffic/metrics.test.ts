import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTraffic } from "../../../test/resources/traffic.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { app, clock, createTeam, createUser, query, request } = client;

const METRIC = { metric: "vercel.firewall_action.count", aggregation: "count" };
const RULES = '(wafRuleId!="") AND (wafAction!="")';

const iso = (ms: number) => new Date(ms).toISOString();

/** A project at the start of an hour, and its metrics of the day that ends with the current hour. */
async function openMetrics() {
  clock.now = clock.now - (clock.now % HOUR_MS) + DAY_MS;
  const traffic = await openTraffic(client);
  const bodyOf = (more: object = {}) => ({
    scope: { ownerId: traffic.user.id, projectIds: ["default"] },
    timeRange: { start: iso(clock.now - 23 * HOUR_MS), end: iso(clock.now + HOUR_MS) },
    metrics: { value: METRIC },
    outputs: ["value"],
    ...more,
  });
  const ask = (more?: object, path = "/metrics/v1") =>
    request("POST", path, { token: traffic.user.token, body: bodyOf(more) });
  return {
    ...traffic,
    ask,
    bodyOf,
    async figures(more?: object): Promise<Body> {
      const response = await ask(more);
      assert.equal(response.status, 200, response.text);
      return response.body;
    },
  };
}

/** `[first dimension, …, requests]` of each row. */
function short(rows: Body): unknown[] {
  return rows.map(({ dimensions, values }: Body) => [...Object.values(dimensions), values.value]);
}

test("requests are counted by action and rule in whole hours, most requests first", async () => {
  const { report, figures } = await openMetrics();
  await report([
    { count: 100 },
    { count: 5, at: clock.now - 23 * HOUR_MS },
    { action: "deny", ruleId: "a", count: 30 },
    { action: "deny", ruleId: "a", count: 2, host: "b.example.com", ip: "192.0.2.1" },
    { action: "log", ruleId: "a", count: 7 },
    { action: "challenge", ruleId: "b", count: 34, at: clock.now - HOUR_MS },
    { action: "deny", count: 3 },
    { action: "deny", count: 1_000, at: clock.now - 24 * HOUR_MS },
  ]);
  await report([{ action: "deny", ruleId: "a", count: 1 }]);
  assert.deepEqual(await figures(), { summary: [{ dimensions: {}, values: { value: 182 } }], series: [] });
  assert.deepEqual(short((await figures({ groupBy: ["wafAction"] })).summary), [
    ["allow", 105],
    ["deny", 36],
    ["challenge", 34],
    ["log", 7],
  ]);
  assert.deepEqual(short((await figures({ groupBy: ["wafRuleId"], filter: RULES })).summary), [
    ["a", 40],
    ["b", 34],
  ]);
  assert.deepEqual(short((await figures({ groupBy: ["wafRuleId", "wafAction"], rowLimit: 3 })).summary), [
    ["", "allow", 105],
    ["b", "challenge", 34],
    ["a", "deny", 33],
  ]);
  assert.deepEqual(short((await figures({ filter: RULES })).summary), [[74]]);
});

test("series have every bucket of the groups with the most requests", async () => {
  const { report, figures } = await openMetrics();
  await report([
    { count: 100 },
    { count: 5, at: clock.now - 23 * HOUR_MS },
    { count: 2, at: clock.now - 22 * HOUR_MS - 1 },
    { action: "deny", ruleId: "a", count: 30 },
  ]);
  const grouped = { groupBy: ["wafAction"], seriesSelection: { limit: 1, mode: "exact" } };
  const { summary, series } = await figures({ ...grouped, bucketSeconds: 3_600 });
  assert.deepEqual(short(summary), [
    ["allow", 107],
    ["deny", 30],
  ]);
  assert.deepEqual(series[0], {
    timestamp: iso(clock.now - 23 * HOUR_MS),
    dimensions: { wafAction: "allow" },
    values: { value: 7 },
  });
  assert.deepEqual(
    series.map(({ values }: Body) => values.value),
    [7, ...Array.from({ length: 22 }, () => 0), 100],
  );
  const days = await figures({ bucketSeconds: 86_400 });
  assert.equal(Date.parse(days.series[0].timestamp) % DAY_MS, 0);
  assert.equal(
    days.series.reduce((total: number, { values }: Body) => total + values.value, 0),
    137,
  );
});

test("series have at most five thousand points together", async () => {
  const { report, figures } = await openMetrics();
  await report(Array.from({ length: 30 }, (_, at) => ({ action: "deny", ruleId: `r${at}`, count: 100 - at })));
  const week = { timeRange: { start: iso(clock.now - 167 * HOUR_MS), end: iso(clock.now + HOUR_MS) } };
  const { summary, series } = await figures({ ...week, groupBy: ["wafRuleId"], bucketSeconds: 3_600 });
  assert.deepEqual([summary.length, series.length, series.at(-1).values.value], [30, 29 * 168, 72]);
});

test("without reports there are no rows, and the client chooses the name of the metric", async () => {
  const { report, figures } = await openMetrics();
  assert.deepEqual(await figures({ bucketSeconds: 3_600 }), { summary: [], series: [] });
  await report([{}]);
  assert.deepEqual((await figures({ metrics: { requests: METRIC }, outputs: ["requests"] })).summary, [
    { dimensions: {}, values: { requests: 1 } },
  ]);
});

test("requests are counted by address, host and minute, and dimensions that are not reported are empty", async () => {
  const { report, figures } = await openMetrics();
  const minute = clock.now - 30 * MINUTE_MS;
  await report([
    { count: 100, at: minute },
    { action: "deny", ruleId: "a", count: 30, host: "b.example.com", ip: "192.0.2.1", at: minute },
    { action: "deny", ruleId: "a", count: 4, ip: "192.0.2.2", at: minute + MINUTE_MS },
    { action: "log", ruleId: "a", count: 7, ip: "192.0.2.2", at: minute },
  ]);
  const by = async (dimension: string, filter?: string, more: object = {}) =>
    short((await figures({ groupBy: [dimension], ...(filter === undefined ? {} : { filter }), ...more })).summary);
  assert.deepEqual(await by("clientIp", 'clientIp!="127.0.0.1"'), [
    ["", 100],
    ["192.0.2.1", 30],
    ["192.0.2.2", 11],
  ]);
  assert.deepEqual(await by("requestHostname", '(clientIp!="") AND (wafAction:"deny")'), [
    ["b.example.com", 30],
    ["example.com", 4],
  ]);
  assert.deepEqual(await by("wafAction", `((${RULES})) AND (clientIp:"192.0.2.2")`), [
    ["log", 7],
    ["deny", 4],
  ]);
  assert.deepEqual(await by("requestPath"), [["", 141]]);
  assert.deepEqual(await by("requestPath", 'requestPath!=""'), []);
  assert.deepEqual(await by("wafAction", 'botName:"a \\"bot\\""'), []);
  const requests = { metrics: { value: { ...METRIC, metric: "vercel.request.count" } } };
  assert.deepEqual(await by("botVerified", 'botVerified!="pass"', requests), [["", 134]]);
  const { series } = await figures({
    timeRange: { start: iso(minute - MINUTE_MS), end: iso(minute + 2 * MINUTE_MS) },
    bucketSeconds: 60,
    groupBy: ["wafAction"],
  });
  const points = Map.groupBy(series, ({ dimensions }: Body) => dimensions.wafAction);
  assert.deepEqual(
    [...points].map(([action, rows]) => [action, rows.map(({ values }: Body) => values.value)]),
    [
      ["allow", [0, 100, 0]],
      ["deny", [0, 30, 4]],
      ["log", [0, 7, 0]],
    ],
  );
});

test("an unsupported query is rejected with the field in error", async () => {
  const { ask } = await openMetrics();
  const metric = (one: object) => ({ metrics: { value: { ...METRIC, ...one } } });
  const from = (start: number, end: number) => ({ timeRange: { start: iso(start), end: iso(end) } });
  const cases: readonly [object, string, RegExp?][] = [
    [{ groupBy: ["wafAction", "a b"] }, "body.groupBy[1]", /name of a dimension/],
    ...[
      "",
      "clientIp",
      'clientIp="1"',
      '(clientIp:"1"',
      'clientIp:"1")',
      'clientIp:"1" OR clientIp:"2"',
      'AND a:"1"',
      "()",
    ].map((filter) => [{ filter }, "body.filter", /dimension!="value", joined by AND/] as [object, string, RegExp]),
    [{ filter: Array(21).fill('a:"1"').join(" AND ") }, "body.filter"],
    [metric({ metric: "vercel.function.count" }), "body.metrics.value.metric"],
    [metric({ aggregation: "sum" }), "body.metrics.value.aggregation"],
    [{ outputs: ["other"] }, "body.outputs[0]"],
    [{ orderBy: [{ metric: "other", direction: "desc" }] }, "body.orderBy[0].metric"],
    [
      { seriesSelection: { limit: 1, rankBy: [{ metric: "other", direction: "desc" }] } },
      "body.seriesSelection.rankBy[0].metric",
    ],
    [{ seriesSelection: { limit: 101 } }, "body.seriesSelection.limit"],
    [{ rowLimit: 501 }, "body.rowLimit"],
    [{ bucketSeconds: 61 }, "body.bucketSeconds"],
    [{ bucketSeconds: 60, ...from(clock.now - 7 * DAY_MS, clock.now) }, "body.bucketSeconds", /at most 5000 buckets/],
    [from(clock.now, clock.now), "body.timeRange.end"],
    [from(clock.now - 7 * DAY_MS - 1, clock.now), "body.timeRange"],
    [{ timeRange: { start: "2030-13-01T00:00:00Z", end: iso(clock.now) } }, "body.timeRange.start"],
    [{ timeRange: { start: iso(clock.now - HOUR_MS), end: "3600.5" } }, "body.timeRange.end"],
    [{ timeRange: { start: "2030-02-30T00:00:00Z", end: iso(clock.now) } }, "body.timeRange.start"],
  ];
  for (const [more, field, message = /./] of cases) {
    const { status, body, text } = await ask(more);
    assert.deepEqual([status, body.error?.field], [400, field], text);
    assert.match(body.error.message, message);
  }
});

test("metrics are those of the request's owner", async () => {
  const mine = await openMetrics();
  await mine.report([{ count: 3 }]);
  const stranger = await createUser();
  const ask = (token: string, rest: string, ownerId: string) =>
    request("POST", `/v1/metrics${rest}`, {
      token,
      body: { ...mine.bodyOf(), scope: { ownerId, projectIds: ["default"] } },
    });
  assert.equal((await ask(mine.user.token, "", mine.user.id)).body.summary[0].values.value, 3);
  assert.equal((await ask(stranger.token, "", mine.user.id)).status, 404);
  const team = await createTeam(mine.user);
  assert.deepEqual((await ask(mine.user.token, `?teamId=${team.id}`, team.id)).body.summary, []);
  assert.equal((await ask(mine.user.token, `?teamId=${team.id}`, mine.user.id)).status, 404);
  assert.equal((await ask(mine.user.token, "", team.id)).status, 404);
  assert.equal((await ask(stranger.token, `?teamId=${team.id}`, team.id)).status, 404);
});

test("two hundred rules per hour are counted separately and the rest together, and all are deleted in time", async () => {
  const { user, report, figures } = await openMetrics();
  const rules = Array.from({ length: 300 }, (_, at) => ({ action: "deny", ruleId: `r${at}` }));
  await report(rules.slice(0, 150));
  await report(rules);
  const by = async (more: object) => short((await figures({ groupBy: ["wafRuleId"], ...more })).summary);
  const all = await by({});
  assert.deepEqual([all.length, all[0]], [201, ["", 100]]);
  assert.equal((await by({ filter: RULES })).length, 200);
  assert.deepEqual(short((await figures()).summary), [[450]]);
  const rows = async () => {
    const [row] = await query(`select count(*) as rows from firewall_traffic_rules where owner_id = '${user.id}'`);
    return Number(row?.["rows"]);
  };
  const prune = async () => {
    while ((await app.runner.changes.pruneTraffic(null, clock.now)) > 0);
  };
  assert.equal(await rows(), 201);
  clock.advance(7 * DAY_MS + HOUR_MS);
  await prune();
  assert.equal(await rows(), 201);
  clock.advance(1);
  await prune();
  assert.equal(await rows(), 0);
});
