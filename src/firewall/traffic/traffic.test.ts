import assert from "node:assert/strict";
import { test } from "node:test";
import { refused } from "../../../test/resources/bypasses.ts";
import { START_TIME, startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openTraffic } from "../../../test/resources/traffic.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp();
const { request, clock, createTeam, createUser, readEvents } = client;

const iso = (ms: number) => new Date(ms).toISOString();

/** The members that tests compare. */
function short(actions: Body): unknown[] {
  return actions.map(({ host, public_ip, action, ruleId, count }: Body) => [host, public_ip, action, ruleId, count]);
}

test("reports of a minute are summed, and returned in the form that clients expect", async () => {
  const { report, actions } = await openTraffic(client);
  const deny = { action: "deny", ip: "1.2.3.4", ruleId: "rule_1" };
  const first = await report([
    { ...deny, count: 40 },
    { ...deny, at: clock.now + 59 * SECOND_MS, count: 1 },
    { count: 7 },
  ]);
  assert.deepEqual(first.body, { ok: true, requests: 48 });
  assert.equal((await report([{ ...deny, host: "EXAMPLE.com" }])).body.requests, 1);
  assert.deepEqual(await actions(), [
    {
      startTime: iso(START_TIME),
      endTime: iso(START_TIME + MINUTE_MS),
      isActive: true,
      action_type: "deny",
      host: "example.com",
      public_ip: "1.2.3.4",
      count: 42,
      action: "deny",
      ruleId: "rule_1",
      ruleName: null,
    },
  ]);
});

test("consecutive minutes are one entry, a gap makes two, newest first", async () => {
  const { flow, report, actions } = await openTraffic(client);
  const start = clock.now;
  clock.advance(HOUR_MS);
  await flow(start, 3, 5, { action: "deny" });
  await flow(start + 4 * MINUTE_MS, 2, 5, { action: "deny" });
  await report([{ at: start + MINUTE_MS, action: "challenge" }]);
  const spans = async () =>
    (await actions()).map(({ startTime, endTime, action, count, isActive }: Body) => [
      action,
      (Date.parse(startTime) - start) / MINUTE_MS,
      (Date.parse(endTime) - start) / MINUTE_MS,
      count,
      isActive,
    ]);
  assert.deepEqual(await spans(), [
    ["deny", 4, 6, 10, false],
    ["deny", 0, 3, 15, false],
    ["challenge", 1, 2, 1, false],
  ]);
  await report([{ at: start + 3 * MINUTE_MS, action: "deny" }]);
  assert.deepEqual(await spans(), [
    ["deny", 0, 6, 26, false],
    ["challenge", 1, 2, 1, false],
  ]);
});

test("an entry is active in its last minute and the next one", async () => {
  const { report, actions } = await openTraffic(client);
  await report([{ action: "deny" }]);
  for (const [wait, isActive] of [
    [0, true],
    [2 * MINUTE_MS - 1, true],
    [1, false],
  ] as const) {
    clock.advance(wait);
    assert.equal((await actions())[0].isActive, isActive);
  }
});

test("each host, address, rule and action has an entry of its own", async () => {
  const { report, actions } = await openTraffic(client);
  await report([
    { action: "deny", ip: "2001:DB8:0::1", count: 9 },
    { action: "deny", ip: "::ffff:192.0.2.1", count: 8 },
    { action: "deny", count: 7 },
    { action: "deny", ruleId: "rule_1", count: 6 },
    { action: "log", ruleId: "rule_1", count: 5 },
    { action: "deny", host: "other.example", ruleId: null, count: 4 },
    { action: "rate_limit", count: 3 },
    { action: "redirect", count: 2 },
    { action: "bypass" },
  ]);
  assert.deepEqual(short(await actions()), [
    ["example.com", "2001:db8::1", "deny", null, 9],
    ["example.com", "192.0.2.1", "deny", null, 8],
    ["example.com", "", "deny", null, 7],
    ["example.com", "", "deny", "rule_1", 6],
    ["example.com", "", "log", "rule_1", 5],
    ["other.example", "", "deny", null, 4],
    ["example.com", "", "rate_limit", null, 3],
    ["example.com", "", "redirect", null, 2],
    ["example.com", "", "bypass", null, 1],
  ]);
});

test("a rule has its name in the active configuration", async () => {
  const { user, report, actions } = await openTraffic(client);
  const { token } = user;
  const put = async (names: readonly string[]) => {
    const rules = names.map((name, at) => ({
      id: `rule_${at}`,
      name,
      active: true,
      conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
      action: { mitigate: { action: "deny" } },
    }));
    const response = await request("PUT", "/v1/firewalls", { token, body: { firewallEnabled: true, rules } });
    assert.equal(response.status, 200, response.text);
  };
  const named = async () => (await actions()).map(({ ruleId, ruleName }: Body) => [ruleId, ruleName]);
  await report([
    { action: "deny", ruleId: "rule_0", count: 2 },
    { action: "deny", ruleId: "rule_1" },
  ]);
  assert.deepEqual(await named(), [
    ["rule_0", null],
    ["rule_1", null],
  ]);
  await put(["No admin", "Neither"]);
  assert.deepEqual(await named(), [
    ["rule_0", "No admin"],
    ["rule_1", "Neither"],
  ]);
  await put(["Closed"]);
  assert.deepEqual(await named(), [
    ["rule_0", "Closed"],
    ["rule_1", null],
  ]);
});

test("the list is filtered by time and hosts", async () => {
  const { flow, actions, call } = await openTraffic(client);
  const start = clock.now;
  clock.advance(2 * DAY_MS);
  for (const host of ["a.example", "b.example", "c.example"]) await flow(start, 10, 1, { action: "deny", host });
  assert.deepEqual(await actions(), [], "a day back unless the query says otherwise");
  const within = async (from: number, to: number, rest = "") =>
    (await actions(`&startTimestamp=${start + from}&endTimestamp=${start + to}${rest}`)).map(
      ({ host, count }: Body) => `${host} ${count}`,
    );
  assert.deepEqual(await within(0, HOUR_MS), ["a.example 10", "b.example 10", "c.example 10"]);
  assert.deepEqual(await within(90 * SECOND_MS, 3 * MINUTE_MS, "&hosts=b.example"), ["b.example 3"]);
  assert.deepEqual(await within(0, HOUR_MS, "&hosts=C.example%2C,a.example,absent.example"), [
    "a.example 10",
    "c.example 10",
  ]);
  assert.deepEqual(await within(-HOUR_MS, -1), []);
  const crossed = await call("GET", "events", `&startTimestamp=${start}&endTimestamp=${start - 1}`);
  assert.deepEqual(refused(crossed), [400, "invalid_query", "query.startTimestamp"]);
  assert.deepEqual(refused(await call("GET", "events", "&hosts=,%20")), [400, "invalid_query", "query.hosts"]);
  const many = await call("GET", "events", `&hosts=${Array.from({ length: 21 }, (_, at) => `h${at}`).join(",")}`);
  assert.deepEqual(refused(many), [400, "invalid_query", "query.hosts"]);
});

test("a report is accepted as a whole or not at all", async () => {
  const { user, report, actions } = await openTraffic(client);
  const before = await readEvents(user.id);
  const good = { action: "deny" };
  const bad: [object, string][] = [
    [{ at: clock.now - 7 * DAY_MS - 1 }, "at"],
    [{ at: clock.now + 5 * MINUTE_MS + 1 }, "at"],
    [{ at: 1.5 }, "at"],
    [{ ip: "1.2.3" }, "ip"],
    [{ ip: "1.2.3.4/32" }, "ip"],
    [{ host: "" }, "host"],
    [{ host: "a b" }, "host"],
    [{ host: "a,b" }, "host"],
    [{ action: "block" }, "action"],
    [{ count: 0 }, "count"],
    [{ count: 10_000_001 }, "count"],
    // With the other of the minute.
    [{ count: 10_000_000 }, "count"],
    [{ ruleId: "r".repeat(101) }, "ruleId"],
  ];
  for (const [member, name] of bad) {
    const response = await report([good, { ...good, ...member }]);
    assert.deepEqual(refused(response), [400, "bad_request", `body.counts[1].${name}`], JSON.stringify(member));
  }
  assert.deepEqual(refused(await report([])), [400, "bad_request", "body.counts"]);
  assert.deepEqual(refused(await report(Array.from({ length: 1_001 }, () => good))), [
    400,
    "bad_request",
    "body.counts",
  ]);
  assert.deepEqual(await actions("&startTimestamp=0"), []);
  for (const at of [clock.now - 7 * DAY_MS, clock.now + 5 * MINUTE_MS]) {
    assert.equal((await report([{ ...good, at }])).status, 200);
  }
  assert.deepEqual(await readEvents(user.id), before);
});

test("concurrent reports lose nothing", async () => {
  const { report, actions } = await openTraffic(client);
  const counts = Array.from({ length: 50 }, (_, at) => ({ action: "deny", ip: `192.0.2.${at}` }));
  const reportOnce = async () => {
    // On a busy machine the last ones are told to come again: then nothing of theirs was counted.
    for (;;) {
      const { status, text } = await report(counts);
      if (status === 503) continue;
      assert.equal(status, 200, text);
      return;
    }
  };
  await Promise.all(Array.from({ length: 20 }, reportOnce));
  const found = await actions();
  assert.equal(found.length, 50);
  assert.ok(found.every(({ count }: Body) => count === 20));
});

test("each team, account and project has traffic of its own", async () => {
  const { user, report } = await openTraffic(client);
  const team = await createTeam(user);
  await report([{ action: "deny" }]);
  const outsider = await createUser();
  for (const [where, token, count] of [
    ["", user.token, 1],
    ["?projectId=other", user.token, 0],
    [`?teamId=${team.id}`, user.token, 0],
    ["", outsider.token, 0],
  ] as const) {
    const { body } = await request("GET", `/v1/firewalls/events${where}`, { token });
    assert.equal(body.actions.length, count, where);
  }
  assert.equal((await request("GET", `/v1/firewalls/events?teamId=${team.id}`, outsider)).status, 404);
});
