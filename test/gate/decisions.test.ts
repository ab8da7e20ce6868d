// From a refused client to the reason: the id that it got is found in the control plane, with the rule, the values that it compared, and
// no credential.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { RunningGate } from "../../src/gate/run-gate.ts";
import type { Body } from "../harness/test-app.ts";
import { startRelay } from "./relay.ts";
import { echo, listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team, user, request, clock } = world;

const rule = (name: string, condition: object, mitigate: object = { action: "deny" }) => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [condition] }],
  action: { mitigate },
});
const noAdmin = rule("No admin", { type: "path", op: "pre", value: "/admin" });
const CHECK = "/.well-known/reeve/check";
const SECRET = "sword-fish-81";

const hostsOf = (project: string) => [{ host: "*", team: team.slug, project }];
const asked = (target: string, more: object = {}) => ({
  headers: { "x-forwarded-method": "GET", "x-forwarded-host": "shop.test", "x-forwarded-uri": target, ...more },
});

const headerOf = (answer: { readonly headers: object }): string =>
  String((answer.headers as Record<string, unknown>)["x-reeve-decision"]);
const idIn = (header: string): string => /id=(\w+)$/.exec(header)?.[1] ?? assert.fail(header);

/** The id of the decision about a request that a proxy asks about. */
async function decide({ url }: RunningGate, target: string, more: object = {}): Promise<string> {
  return idIn(headerOf(await sendTo(url, CHECK, asked(target, more))));
}

/** Explanations may take little of the time. For a gate that starts now none passes, so that it explains all on a busy machine, too. */
function stopTime(t: TestContext): void {
  const now = performance.now();
  t.mock.method(performance, "now", () => now);
}

const find = (id: string) => request("GET", `/v1/gate/decisions/${id}?teamId=${team.id}`, { token: user.token });

async function list(project: string, rest = ""): Promise<Body[]> {
  const url = `/v1/gate/decisions?teamId=${team.id}&projectId=${project}&limit=100${rest}`;
  return (await request("GET", url, { token: user.token })).body.decisions;
}

test("the id of a refused request leads to the rule and to the values that it compared", async (t) => {
  stopTime(t);
  const other = rule("Other", { type: "path", op: "pre", value: "/other" });
  const project = await world.newProject({ firewallEnabled: true, rules: [other, noAdmin] });
  const application = await listenOn(echo);
  const gate = await world.startGate({ hosts: hostsOf(project), upstream: application.url });
  const allowed = await sendTo(gate.url, "/", { headers: { host: "shop.test" } });
  const refused = await sendTo(gate.url, "/admin?page=2", {
    headers: { host: "Shop.test:8080", "user-agent": "curl/8", accept: "application/json" },
  });
  const { id } = JSON.parse(refused.text) as { id: string };
  await gate.close();
  const { status, body } = await find(id);
  assert.equal(status, 200);
  const { decision } = body;
  const shown = ["action", "status", "version", "method", "scheme", "host", "target", "ip", "userAgent", "projectId"];
  assert.deepEqual(
    shown.map((name) => decision[name]),
    ["deny", 403, 1, "GET", "http", "shop.test", "/admin?page=2", "127.0.0.1", "curl/8", project],
  );
  assert.equal(decision.by.name, "No admin");
  assert.deepEqual(
    decision.steps.map(({ name, outcome }: Body) => [name, outcome]),
    [
      ["Other", "not_matched"],
      ["No admin", "matched"],
    ],
  );
  assert.deepEqual(decision.steps[1].groups[0].conditions[0].actual, ["/admin"]);
  assert.equal((await find(idIn(JSON.parse(allowed.text).headers["x-reeve-decision"]))).status, 404);
  assert.equal((await list(project)).length, 1);
});

test("a limit shows the count as it was, whatever was counted since", async (t) => {
  stopTime(t);
  const rateLimit = { algo: "fixed_window", window: 60, limit: 3, keys: ["ip"], action: "deny" };
  const limited = rule("Limit", { type: "path", op: "pre", value: "/" }, { action: "rate_limit", rateLimit });
  const logged = rule("Log", { type: "path", op: "pre", value: "/" }, { action: "log" });
  const project = await world.newProject({ firewallEnabled: true, rules: [logged, limited] });
  const gate = await world.startGate({ hosts: hostsOf(project) });
  // At once, so that all are counted before the first is explained.
  const ids = await Promise.all(Array.from({ length: 5 }, () => decide(gate, "/")));
  await gate.close();
  const counts = await Promise.all(
    ids.map(async (id) => {
      const { decision } = (await find(id)).body;
      return [decision.action, decision.steps[1].count, decision.steps[1].limit].join(" ");
    }),
  );
  assert.deepEqual(counts.toSorted(), ["allow 1 3", "allow 2 3", "allow 3 3", "deny 4 3", "deny 5 3"]);
});

test("a decision by a body shows which condition held, and nothing of the body", async (t) => {
  stopTime(t);
  const role = rule("Role", { type: "body", key: "role", op: "eq", value: "admin" });
  const project = await world.newProject({ firewallEnabled: true, rules: [role] });
  const application = await listenOn(echo);
  const gate = await world.startGate({ hosts: hostsOf(project), upstream: application.url });
  const body = JSON.stringify({ role: "Admin", pin: SECRET });
  const headers = { host: "shop.test", "content-type": "application/json" };
  const answer = await sendTo(gate.url, "/", { method: "POST", headers, body });
  assert.equal(answer.status, 403);
  await gate.close();
  const { decision } = (await find(idIn(headerOf(answer)))).body;
  const [{ outcome, groups }] = decision.steps;
  const [{ type, key, expected, holds }] = groups[0].conditions;
  assert.deepEqual([outcome, type, key, expected, holds], ["matched", "body", "role", "admin", true]);
  assert.doesNotMatch(JSON.stringify(decision), new RegExp(`Admin|${SECRET}`));
});

test("what is only recorded is found too, with what would have happened", async (t) => {
  stopTime(t);
  const limited = rule(
    "Slowly",
    { type: "path", op: "pre", value: "/slow" },
    {
      action: "rate_limit",
      rateLimit: { algo: "fixed_window", window: 60, limit: 1, keys: ["ip"], action: "rate_limit" },
    },
  );
  const logged = rule("Watch", { type: "path", op: "pre", value: "/watch" }, { action: "log" });
  const project = await world.newProject({ firewallEnabled: true, rules: [limited, logged, noAdmin] });
  const detecting = await world.startGate({ hosts: hostsOf(project), detectOnly: ["all"] });
  const detected = await decide(detecting, "/admin");
  await detecting.close();
  const gate = await world.startGate({ hosts: hostsOf(project) });
  const watched = await decide(gate, "/watch");
  await decide(gate, "/slow");
  const slowed = await decide(gate, "/slow");
  await gate.close();
  const [first, second, third] = (await Promise.all([detected, watched, slowed].map(find))).map(
    ({ body }) => body.decision,
  );
  assert.deepEqual(
    [first.action, first.status, first.wouldBe, first.reason, first.by.name],
    ["allow", null, "deny", "detect_only", "No admin"],
  );
  assert.deepEqual([second.action, second.by, second.logged[0].name], ["allow", null, "Watch"]);
  assert.deepEqual([third.action, third.status, third.by.name], ["rate_limit", 429, "Slowly"]);
  const step = third.steps.find(({ name }: Body) => name === "Slowly");
  assert.equal(step.limit, 1);
  assert.deepEqual((await list(project, "&action=log")).map(({ id }) => id).toSorted(), [detected, watched].toSorted());
});

test("no credential of a request is stored, in whatever place", async (t) => {
  stopTime(t);
  const readers = [
    { type: "header", key: "authorization", op: "ex" },
    { type: "header", key: "x-api-key", op: "ex" },
    { type: "cookie", key: "sid", op: "ex" },
    { type: "query", key: "access_token", op: "ex" },
    { type: "user_agent", op: "sub", value: "never" },
  ];
  const project = await world.newProject({
    firewallEnabled: true,
    rules: [...readers.map((reader, at) => rule(`Reader ${at}`, reader, { action: "log" })), noAdmin],
  });
  const gate = await world.startGate({ hosts: hostsOf(project) });
  const id = await decide(gate, `/admin?access_token=${SECRET}&q=1&next=%2Flogin%3Fpassword%3D${SECRET}`, {
    authorization: `Bearer ${SECRET}`,
    cookie: `sid=${SECRET}; theme=dark`,
    "x-api-key": SECRET,
    "x-amz-security-token": SECRET,
    "user-agent": `client/${SECRET}`,
    referer: `https://shop.test/in?code=${SECRET}`,
    "x-note": `the value is ${SECRET}`,
  });
  await gate.close();
  const { text, body } = await find(id);
  assert.equal(body.decision.steps.length, 6);
  assert.ok(text.includes("[redacted]") && text.includes("q=1"), text);
  const rows = await world.query(`select summary, details from gate_decisions where id = '${id}'`);
  for (const place of [text, JSON.stringify(rows)]) assert.ok(!place.includes("sword"), place);
});

test("no request keeps itself, or others of its report, from being stored", async () => {
  const reads = (type: string, key: string) =>
    rule(`Reads ${type}`, { type, key, op: "re", value: "." }, { action: "log" });
  const project = await world.newProject({
    firewallEnabled: true,
    rules: [reads("query", "q"), reads("header", "x-odd"), noAdmin],
  });
  const gate = await world.startGate({ hosts: hostsOf(project) });
  const ids = [];
  for (const q of [
    "%00",
    "%ED%A0%80",
    `${"a".repeat(99)}%F0%9F%98%80`,
    "%E6%97%A5".repeat(600),
    "%22".repeat(1_500),
    "%0",
  ]) {
    ids.push(await decide(gate, `/admin?q=${q}`, { "x-odd": `\t"\u00ff"${'\u00fc"'.repeat(1_000)}` }));
  }
  await gate.close();
  assert.deepEqual((await list(project)).map(({ id }) => id).toSorted(), ids.toSorted());
});

test("a flood that one rule refuses leaves space for what others refuse", async () => {
  const rules = [
    noAdmin,
    ...Array.from({ length: 5 }, (_, at) => rule(`Rare ${at}`, { type: "path", op: "eq", value: `/rare/${at}` })),
  ];
  const project = await world.newProject({ firewallEnabled: true, rules });
  clock.now = Math.ceil(clock.now / MINUTE_MS) * MINUTE_MS;
  const gate = await world.startGate({ hosts: hostsOf(project) });
  for (let at = 0; at < 300; at++) await decide(gate, "/admin");
  const rare: string[] = [];
  for (let at = 0; at < 5; at++) rare.push(await decide(gate, `/rare/${at}`));
  const metrics = await sendTo(gate.url, "/.well-known/reeve/metrics");
  await gate.close();
  const found = await list(project);
  const flooded = found.filter(({ by }) => by.name === "No admin");
  // 25, and then the 32nd, 64th, 128th and 256th.
  assert.equal(flooded.length, 29);
  for (const id of rare) assert.ok(found.some((one) => one.id === id));
  assert.match(metrics.text, /reeve_gate_samples_total\{outcome="taken"\} 34/);
  assert.match(metrics.text, /reeve_gate_samples_total\{outcome="left_out"\} 271/);
});

test("samples wait while the control plane is away, and arrive once", async () => {
  const project = await world.newProject({ firewallEnabled: true, rules: [noAdmin] });
  const relay = await startRelay(world.port);
  const gate = await world.startGate({ hosts: hostsOf(project) }, { server: relay.url });
  await relay.cut();
  const id = await decide(gate, "/admin");
  await relay.restore();
  await gate.close();
  assert.deepEqual(
    (await list(project)).map((one) => one.id),
    [id],
  );
});

test("those that cannot be sent are counted as lost", async () => {
  const project = await world.newProject({ firewallEnabled: true, rules: [noAdmin] });
  const relay = await startRelay(world.port);
  const warnings: string[] = [];
  const log = { info() {}, warn: (_details: object, message: string) => void warnings.push(message), error() {} };
  const gate = await world.startGate({ hosts: hostsOf(project) }, { server: relay.url, log });
  await decide(gate, "/admin");
  await relay.cut();
  await gate.close();
  assert.ok(warnings.includes("samples of decisions could not be reported and are lost"), warnings.join("\n"));
  assert.ok(warnings.includes("counts of requests could not be reported and are lost"));
});
