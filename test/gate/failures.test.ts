// What a gate does when something it depends on fails: each time the outcome that its policy says, and nothing else.
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../src/kernel/scheduling/clock.ts";
import { waitFor } from "../harness/wait-for.ts";
import { sendTo, startGateWorld } from "./gate-world.ts";
import type { RunningGate } from "../../src/gate/run-gate.ts";
import { startRelay } from "./relay.ts";

const world = await startGateWorld();
const { team, clock } = world;

const deny = (name: string, path: string) => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: path }] }],
  action: { mitigate: { action: "deny" } },
});
const ADMIN = { firewallEnabled: true, rules: [deny("admin", "/admin")] };
const hostsOf = (project: string) => [{ host: "*", team: team.slug, project }];

/** The status for a proxy that asks. */
async function check({ url }: RunningGate, target: string, headers: object = {}): Promise<number> {
  const asked = {
    "x-forwarded-method": "GET",
    "x-forwarded-host": "shop.test",
    "x-forwarded-uri": target,
    ...headers,
  };
  return (await sendTo(url, "/.well-known/reeve/check", { headers: asked })).status;
}

const becomes = (gate: RunningGate, target: string, status: number) =>
  waitFor(`${status} for ${target}`, async () => (await check(gate, target)) === status || undefined);

async function health({ url }: RunningGate) {
  const { status, text } = await sendTo(url, "/.well-known/reeve/health");
  return {
    status,
    body: JSON.parse(text) as { status: string; projects: { state: string; ageMs: number; problem?: string }[] },
  };
}

/** The file of a bundle that a gate has left, and a control plane that is away. */
async function leaveBundle() {
  const project = await world.newProject(ADMIN);
  const relay = await startRelay(world.port);
  const dir = world.newFolder();
  const gate = await world.startGate({ hosts: hostsOf(project), dir }, { server: relay.url });
  await gate.close();
  await relay.cut();
  const [name = ""] = readdirSync(dir);
  return { project, relay, dir, file: join(dir, name) };
}

test("a gate that loses the control plane goes on, also after a restart, and catches up when it is back", async () => {
  const project = await world.newProject(ADMIN);
  const relay = await startRelay(world.port);
  const dir = world.newFolder();
  const gate = await world.startGate({ hosts: hostsOf(project), dir }, { server: relay.url });
  assert.deepEqual([await check(gate, "/admin"), await check(gate, "/")], [403, 204]);
  await relay.cut();
  assert.deepEqual([await check(gate, "/admin"), await check(gate, "/")], [403, 204]);
  await gate.close();
  const again = await world.startGate({ hosts: hostsOf(project), dir }, { server: relay.url });
  assert.deepEqual([await check(again, "/admin"), await check(again, "/")], [403, 204]);
  clock.advance(2 * MINUTE_MS);
  const { status, body } = await health(again);
  assert.deepEqual([status, body.projects[0]?.state], [200, "stale"]);
  assert.match(body.projects[0]?.problem ?? "", /ECONNREFUSED/);
  await world.publish(project, { firewallEnabled: true, rules: [deny("other", "/other")] });
  await relay.restore();
  await becomes(again, "/other", 403);
  assert.equal(await check(again, "/admin"), 204);
  assert.equal((await health(again)).body.projects[0]?.state, "current");
});

test("a change is in force at every gate when it is published", async (t) => {
  // The gates of this test do not poll, which they would about every ten seconds: it is the stream that wakes them.
  const { setTimeout: start } = globalThis;
  const isPoll = (ms = 0) => ms >= 8_000 && ms <= 12_000;
  t.mock.method(globalThis, "setTimeout", (run: () => void, ms?: number, ...given: []) =>
    start(run, isPoll(ms) ? HOUR_MS : ms, ...given),
  );
  const project = await world.newProject(ADMIN);
  const gates = await Promise.all([1, 2, 3].map(() => world.startGate({ hosts: hostsOf(project) })));
  for (const path of ["/one", "/two", "/three", "/four", "/five"]) {
    await world.publish(project, { firewallEnabled: true, rules: [deny("only", path)] });
    await Promise.all(gates.map((gate) => becomes(gate, path, 403)));
  }
});

test("a bundle on disk that was changed is not used, and the policy for no bundle applies", async () => {
  const { project, relay, dir, file } = await leaveBundle();
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const whole = readFileSync(file, "utf8");
  for (const broken of [whole.replace("/admin", "/nimda"), whole.slice(0, -10), "", "{}\n", "nonsense"]) {
    writeFileSync(file, broken);
    const logged: string[] = [];
    const log = { info() {}, warn() {}, error: (_details: object, message: string) => void logged.push(message) };
    const open = await world.startGate({ hosts: hostsOf(project), dir }, { server: relay.url, log });
    assert.deepEqual([await check(open, "/admin"), (await health(open)).status], [204, 503]);
    assert.ok(logged.some((message) => message.includes("the bundle on disk cannot be used")));
    assert.ok(logged.some((message) => message.includes("REEVE_GATE_NO_BUNDLE")));
    const { text: metrics } = await sendTo(open.url, "/.well-known/reeve/metrics");
    assert.match(metrics, /reeve_gate_bundle_file_failures_total\{operation="read"\} 1/);
    await open.close();
    const closed = await world.startGate(
      { hosts: hostsOf(project), dir, whenNoBundle: "closed" },
      { server: relay.url },
    );
    assert.equal(await check(closed, "/"), 403);
    await closed.close();
  }
});

test("a bundle on disk that others could read is used, and they cannot any more", async (context) => {
  const { project, relay, dir, file } = await leaveBundle();
  const startAgain = async () => {
    const warned: string[] = [];
    const log = { info() {}, error() {}, warn: (_details: object, message: string) => void warned.push(message) };
    const again = await world.startGate({ hosts: hostsOf(project), dir }, { server: relay.url, log });
    assert.equal(await check(again, "/admin"), 403);
    await again.close();
    return warned.filter((message) => /others (?:could|can) read/.test(message));
  };
  chmodSync(file, 0o640);
  const handle = await openFile(file);
  const failing = context.mock.method(Object.getPrototypeOf(handle) as FileHandle, "chmod", () => {
    throw Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM" });
  });
  await handle.close();
  assert.match((await startAgain()).join(), /its mode cannot be changed/, "the file is of another account");
  failing.mock.restore();
  assert.equal((await startAgain()).length, 1);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal((await startAgain()).length, 0);
});

test("a request that the evaluator fails on has the outcome of the policy, and others are decided", async () => {
  const { project, relay, dir, file } = await leaveBundle();
  // The control plane accepts no such expression: the file is what a fault of it, or another version, would leave.
  const [head = "", ...rest] = readFileSync(file, "utf8").split("\n");
  const bundle = JSON.parse(rest.join("\n"));
  bundle.configuration.rules[0].conditionGroup = [
    {
      conditions: [
        { type: "query", key: "q", op: "ex" },
        { type: "path", op: "re", value: "(" },
      ],
    },
  ];
  const text = JSON.stringify(bundle);
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(head), sha256: hash("sha256", text) })}\n${text}`);
  for (const [whenError, status] of [
    ["closed", 403],
    ["open", 204],
  ] as const) {
    const gate = await world.startGate({ hosts: hostsOf(project), dir, whenError }, { server: relay.url });
    assert.deepEqual([await check(gate, "/?q=1"), await check(gate, "/")], [status, 204]);
    const { text: metrics } = await sendTo(gate.url, "/.well-known/reeve/metrics");
    assert.match(metrics, /reeve_gate_policies_total\{reason="error"\} 1/);
    await gate.close();
  }
});

test("a clock that jumps, forwards or back, changes no decision but what depends on the time", async () => {
  const limit = { algo: "fixed_window", window: 600, limit: 2, keys: ["ip"], action: "rate_limit" };
  const limited = { ...deny("limited", "/limited"), action: { mitigate: { action: "rate_limit", rateLimit: limit } } };
  const project = await world.newProject({ firewallEnabled: true, rules: [deny("admin", "/admin"), limited] });
  const gate = await world.startGate({ hosts: hostsOf(project) });
  const round = async () => [
    await check(gate, "/admin"),
    await check(gate, "/"),
    await check(gate, "/limited"),
    await check(gate, "/limited"),
    await check(gate, "/limited"),
  ];
  const usual = [403, 204, 204, 204, 429];
  assert.deepEqual(await round(), usual);
  for (const jump of [2 * HOUR_MS, -3 * HOUR_MS, HOUR_MS / 2]) {
    clock.advance(jump);
    assert.deepEqual(await round(), usual, `${jump} ms`);
    const { status, body } = await health(gate);
    assert.equal(status, 200);
    assert.ok(body.projects.every(({ ageMs }) => ageMs >= 0));
  }
  clock.advance(HOUR_MS);
});

test("a key that is no longer valid changes nothing but the health", async () => {
  const project = await world.newProject(ADMIN);
  const scope = `?teamId=${team.id}`;
  const created = await world.request("POST", `/v1/api-keys${scope}`, {
    token: world.user.token,
    body: { name: "revoked", role: "SECURITY" },
  });
  const gate = await world.startGate({ hosts: hostsOf(project) }, { key: created.body.value });
  assert.equal(await check(gate, "/admin"), 403);
  await world.request("DELETE", `/v1/api-keys/${created.body.apiKey.id}${scope}`, { token: world.user.token });
  await waitFor("the refusal", async () => (await health(gate)).body.projects[0]?.problem);
  assert.match((await health(gate)).body.projects[0]?.problem ?? "", /401/);
  assert.deepEqual([await check(gate, "/admin"), await check(gate, "/")], [403, 204]);
});

test("attack challenge mode ends by the gate's clock, also without the control plane, and not before", async () => {
  const project = await world.newProject(ADMIN);
  const relay = await startRelay(world.port);
  const until = clock.now + HOUR_MS;
  await world.request("POST", `/v1/attack-challenge-mode?teamId=${team.id}`, {
    token: world.user.token,
    body: { projectId: project, attackModeEnabled: true, attackModeActiveUntil: until },
  });
  const gate = await world.startGate({ hosts: hostsOf(project) }, { server: relay.url });
  await relay.cut();
  assert.equal(await check(gate, "/"), 403);
  clock.advance(HOUR_MS - 1);
  assert.equal(await check(gate, "/"), 403);
  clock.advance(1);
  assert.equal(await check(gate, "/"), 204);
  // A clock that goes back.
  clock.now = until - MINUTE_MS;
  assert.equal(await check(gate, "/"), 403);
  clock.now = until + MINUTE_MS;
});

test("a project that the control plane does not know is said, and protected as soon as it exists", async () => {
  const logged: object[] = [];
  const log = { info() {}, warn: (details: object) => void logged.push(details), error() {} };
  const gate = await world.startGate({ hosts: hostsOf("later") }, { log });
  assert.equal(await check(gate, "/admin"), 204);
  assert.deepEqual(logged[0], { project: `${team.slug}/later`, reason: "Project not found (404)" });
  await world.publish("later", ADMIN);
  await becomes(gate, "/admin", 403);
});
