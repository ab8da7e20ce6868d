import assert from "node:assert/strict";
import { test } from "node:test";
import { openShield } from "../../../test/resources/attack-mode.ts";
import { startTestApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { clock, createUser, request } = client;

const condition = (type: string, op: string, value: unknown, key?: string) => ({
  type,
  op,
  value,
  ...(key !== undefined && { key }),
});

function rule(name: string, conditions: readonly object[], mitigate: object = { action: "deny" }) {
  return { name, active: true, conditionGroup: [{ conditions }], action: { mitigate } };
}

const ADMIN = rule("Admin", [condition("path", "pre", "/admin"), condition("method", "eq", "POST")]);
const LOGINS = rule("Logins", [condition("path", "eq", "/login")], {
  action: "rate_limit",
  rateLimit: { algo: "fixed_window", window: 60, limit: 2, keys: ["ip"] },
});

const times = (count: number, attributes: object) => Array.from({ length: count }, () => attributes);

/** A project with this configuration, and helpers that evaluate requests. */
async function openFirewall(...rules: readonly object[]) {
  const { token } = await createUser();
  const query = `projectId=${uniqueName("project")}`;
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    request(method, `/v1/firewalls${path}?${query}`, { token, headers, ...(body !== undefined && { body }) });
  if (rules.length > 0) assert.equal((await call("PUT", "", { firewallEnabled: true, rules })).status, 200);
  return {
    token,
    query,
    call,
    evaluate: (body: object, version = "active") => call("POST", `/${version}/evaluate`, body),
  };
}

test("the response shows the deciding rule, its version, condition and value, and the rules after it", async () => {
  const { evaluate, call } = await openFirewall(
    rule("Note", [condition("path", "sub", "min")], { action: "log" }),
    ADMIN,
  );
  await call("PATCH", "", { action: "rules.insert", value: rule("All", [condition("path", "pre", "/")]) });
  const attributes = { url: "https://example.com/admin?a=b", method: "post", headers: { Cookie: ["a=b", "c=d"] } };
  const { status, body } = await evaluate({ requests: [attributes] });
  assert.equal(status, 200);
  assert.equal(body.version, 2);
  assert.deepEqual(body.summary, { allow: 0, deny: 1, challenge: 0, redirect: 0, rate_limit: 0, bypass: 0 });
  const [{ decision, steps }] = body.results;
  assert.deepEqual([decision.action, decision.status, decision.by.name], ["deny", 403, "Admin"]);
  assert.deepEqual(
    decision.logged.map(({ name }: { name: string }) => name),
    ["Note"],
  );
  assert.deepEqual(
    steps.map(({ name, outcome, isAfterDecision = false }: Record<string, unknown>) => [
      name,
      outcome,
      isAfterDecision,
    ]),
    [
      ["Note", "matched", false],
      ["Admin", "matched", false],
      ["All", "matched", true],
    ],
  );
  assert.deepEqual(steps[1].groups, [
    {
      matches: true,
      conditions: [
        { type: "path", op: "pre", neg: false, actual: ["/admin"], expected: "/admin", holds: true },
        { type: "method", op: "eq", neg: false, actual: ["POST"], expected: "POST", holds: true },
      ],
    },
  ]);
});

test("a trace shortens long texts and lists", async () => {
  const values = Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(300, "x"));
  const { evaluate } = await openFirewall(rule("Long", [condition("header", "inc", values, "x-a")]));
  const { body } = await evaluate({ requests: [{ url: "/", headers: { "X-A": Array(20).fill("y".repeat(9_000)) } }] });
  const [{ actual, expected }] = body.results[0].steps[0].groups[0].conditions;
  for (const shown of [actual, expected]) {
    assert.ok(shown.length <= 5 && shown.every((text: string) => text.length <= 103));
  }
});

test("a draft is evaluated before it is active, and compared with another version", async () => {
  const { evaluate, call } = await openFirewall(ADMIN);
  assert.equal((await evaluate({ requests: [{ url: "/" }] }, "draft")).status, 404);
  await call("PATCH", "/draft", { action: "rules.insert", value: rule("Shop", [condition("path", "eq", "/shop")]) });
  const requests = ["/", "/shop", "/admin"].map((url) => ({ url, method: "POST" }));
  const { body } = await evaluate({ requests, compareWith: "active" }, "draft");
  assert.deepEqual([body.version, body.comparedWith], [2, 1]);
  assert.deepEqual(
    body.results.map((result: object) => Object.keys(result)),
    [["decision"], ["decision"], ["decision"]],
  );
  assert.deepEqual([body.summary.allow, body.summary.deny], [1, 2]);
  assert.equal(body.differences.length, 1);
  const [{ index, before, after }] = body.differences;
  assert.deepEqual([index, before.action, after.action, after.by.name], [1, "allow", "deny", "Shop"]);
  const traced = await evaluate({ requests, compareWith: 1, trace: true }, "1");
  assert.deepEqual([traced.body.version, traced.body.comparedWith, traced.body.differences], [1, 1, []]);
  assert.equal(traced.body.results[2].steps.length, 1);
});

test("requests are evaluated in order, with counters that start empty in each call", async () => {
  const { evaluate } = await openFirewall(LOGINS);
  const login = { url: "/login", ip: "203.0.113.7" };
  const at = clock.now;
  const requests = [login, login, login, { ...login, at: at + 60_000 }, login];
  for (let time = 0; time < 2; time++) {
    const { body } = await evaluate({ requests: [{ ...login, at }, ...requests.slice(1)] });
    assert.deepEqual(
      body.results.map(({ decision }: { decision: { action: string } }) => decision.action),
      ["allow", "allow", "rate_limit", "allow", "allow"],
    );
  }
  const back = await evaluate({ requests: [{ ...login, at }, login, { ...login, at: at - 1 }] });
  assert.deepEqual([back.status, back.body.error.field], [400, "body.requests[2].at"]);
});

test("attack challenge mode and the bypass list are the project's, or those of the body", async () => {
  const { evaluate, token, query } = await openFirewall(ADMIN);
  const requests = [{ url: "https://shop.example/", ip: "203.0.113.7" }];
  const actionOf = async (body: object = {}) => (await evaluate({ requests, ...body })).body.results[0].decision.action;
  assert.equal(await actionOf(), "allow");
  assert.equal(await actionOf({ attackMode: true }), "challenge");
  assert.equal(await actionOf({ attackMode: true, bypasses: [{ ip: "203.0.113.0/24" }] }), "allow");
  await openShield(client, token, query.split("=")[1]).set({ attackModeEnabled: true });
  assert.equal(await actionOf(), "challenge");
  assert.equal(await actionOf({ attackMode: false }), "allow");
  const entry = { domain: "shop.example", sourceIp: "203.0.113.7" };
  assert.equal((await request("POST", `/v1/security/firewall/bypass?${query}`, { token, body: entry })).status, 200);
  assert.equal(await actionOf(), "allow");
  assert.equal(await actionOf({ bypasses: [] }), "challenge");
});

test("an oversized or malformed request is rejected with the field in error", async () => {
  const { evaluate } = await openFirewall(ADMIN);
  const cases: [object, string][] = [
    [{ requests: [] }, "body.requests"],
    [{ requests: times(1_001, { url: "/" }) }, "body.requests"],
    [{ requests: [{}] }, "body.requests[0].url"],
    [{ requests: [{ url: `/${"a".repeat(16_384)}` }] }, "body.requests[0].url"],
    [{ requests: [{ url: "/", headers: { a: "b".repeat(16_385) } }] }, "body.requests[0].headers.a"],
    [
      { requests: [{ url: "/", headers: Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`x${at}`, ""])) }] },
      "body.requests[0].headers",
    ],
    [{ requests: [{ url: "/", body: "b".repeat(65_537) }] }, "body.requests[0].body"],
    [{ requests: [{ url: "/", colour: "red" }] }, "body.requests[0].colour"],
    [{ requests: [{ url: "/" }], compareWith: "previous" }, "body.compareWith"],
    [{ requests: [{ url: "/" }], compareWith: 1e300 }, "body.compareWith"],
  ];
  for (const [body, field] of cases) {
    const { status, body: response } = await evaluate(body);
    assert.deepEqual([status, response.error.field], [400, field], JSON.stringify(response));
  }
  for (const version of ["active", "1", "draft"]) {
    const { evaluate: evaluateNone } = await openFirewall();
    assert.equal((await evaluateNone({ requests: [{ url: "/" }] }, version)).status, 404);
  }
  assert.equal((await evaluate({ requests: [{ url: "/" }], compareWith: "7" })).status, 404);
});

test("a change is evaluated without being stored, also where there is no draft and no configuration yet", async () => {
  const { evaluate, call } = await openFirewall(ADMIN);
  const requests = [{ url: "/shop" }, { url: "/admin", method: "POST" }];
  const insert = (path: string) => ({ action: "rules.insert", value: rule("Shop", [condition("path", "eq", path)]) });
  const decided = async (change: object, version: string) => {
    const { status, body } = await evaluate({ requests, change }, version);
    assert.equal(status, 200, JSON.stringify(body));
    return [body.version, ...body.results.map(({ decision }: Body) => decision.by?.name ?? null)];
  };
  assert.deepEqual(await decided(insert("/shop"), "draft"), [2, "Shop", "Admin"]);
  assert.deepEqual(await decided(insert("/shop"), "active"), [1, "Shop", "Admin"]);
  assert.equal((await call("GET", "/draft")).status, 404, "no draft is begun");
  await call("PATCH", "/draft", insert("/other"));
  const [admin] = (await call("GET", "/draft")).body.rules;
  assert.deepEqual(await decided({ action: "rules.remove", id: admin.id }, "draft"), [2, null, null]);
  assert.equal((await call("GET", "/draft")).body.rules.length, 2);
  const missing = await evaluate({ requests, change: { action: "rules.remove", id: "rule_0" } }, "draft");
  assert.equal(missing.status, 404);
  const { status, body } = await evaluate({ requests, change: { action: "rules.insert", value: {} } });
  assert.deepEqual([status, body.error.code], [400, "invalid_firewall"]);
  assert.match(body.error.field, /^body\.change\.value\./);
  const { evaluate: evaluateNone } = await openFirewall();
  const first = await evaluateNone({ requests: [{ url: "/shop" }], change: insert("/shop") }, "draft");
  assert.deepEqual([first.status, first.body.version, first.body.summary.deny], [200, 1, 1]);
});

test("a thousand requests are evaluated in one call, with steps and a comparison; one more is rejected", async () => {
  const { evaluate, call } = await openFirewall(...times(10, ADMIN));
  await call("PATCH", "/draft", { action: "rules.insert", value: rule("Shop", [condition("path", "eq", "/7")]) });
  const requests = Array.from({ length: 1_000 }, (_, at) => ({ url: `/${at}` }));
  const { status, body } = await evaluate({ requests, trace: true, compareWith: "active" }, "draft");
  assert.equal(status, 200);
  assert.deepEqual([body.results.length, body.summary.allow, body.differences.length], [1_000, 999, 1]);
  assert.ok(body.results.every(({ steps }: Body) => steps.length === 11));
  const refused = await evaluate({ requests: [...requests, { url: "/" }] });
  assert.deepEqual([refused.status, refused.body.error.field], [400, "body.requests"]);
});

/** A rule with this cost. */
function costly(name: string, cost: number) {
  const conditions = Array.from({ length: 65 }, () => condition("path", "sub", "never"));
  return { ...rule(name, []), conditionGroup: Array.from({ length: cost / 65 }, () => ({ conditions })) };
}

test("the response to several traced requests is bounded; that to one shows everything", async () => {
  const { evaluate } = await openFirewall(costly("one", 1_300), costly("two", 1_300));
  const refused = await evaluate({ requests: times(20, { url: "/" }), trace: true });
  assert.equal(refused.status, 400);
  assert.equal(refused.body.error.field, "body.requests");
  assert.match(
    refused.body.error.message,
    /^requests: expected at most 19 with a trace of 2602 steps and conditions each, got 20$/,
  );
  assert.equal((await evaluate({ requests: [{ url: "/" }], trace: true })).status, 200);
});

test("a caller with many calls takes turns with others, and gets 429 when too many calls wait", async () => {
  const slow = condition("path", "re", "[ab]*a[ab]{300}[^ab]");
  const [one, other] = [await openFirewall(rule("Slow", [slow])), await openFirewall(ADMIN)];
  const requests = times(10, { url: `/${"ab".repeat(500)}` });
  const many = times(20, {}).map(() => one.evaluate({ requests }));
  const [responses, { status }] = await Promise.all([Promise.all(many), other.evaluate({ requests: [{ url: "/" }] })]);
  assert.deepEqual([...new Set(responses.map((response) => response.status))].toSorted(), [200, 429]);
  assert.equal(status, 200, "another owner's turn comes");
});

test("an Idempotency-Key is ignored", async () => {
  const { call } = await openFirewall(ADMIN);
  const headers = { "idempotency-key": uniqueName("key") };
  const evaluate = (url: string) => call("POST", "/active/evaluate", { requests: [{ url, method: "POST" }] }, headers);
  const first = await evaluate("/");
  const other = await evaluate("/admin");
  assert.deepEqual([first.status, other.status], [200, 200]);
  assert.equal(other.headers["idempotency-replayed"], undefined);
  assert.deepEqual([first.body.summary.allow, other.body.summary.deny], [1, 1]);
});
