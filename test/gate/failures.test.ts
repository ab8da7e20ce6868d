// What a gate does when something it depends on fails: each time the outcome that its policy says, and nothing else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { waitFor } from "../harness/wait-for.ts";
import { ADMIN, becomes, changeBundle, check, deny, health, leaveBundle } from "./failing-gate.ts";
import { sendTo, startGateWorld } from "./gate-world.ts";
import { startRelay } from "./relay.ts";

const world = await startGateWorld();
const { team, clock } = world;

const hostsOf = (project: string) => [{ host: "*", team: team.slug, project }];

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

test("a request that the evaluator fails on has the outcome of the policy, and others are decided", async () => {
  const { hosts, relay, dir, file } = await leaveBundle(world);
  // The control plane accepts no such expression: the file is what a fault of it, or another version, would leave.
  changeBundle(file, ({ configuration }) => {
    configuration.rules[0].conditionGroup = [
      {
        conditions: [
          { type: "query", key: "q", op: "ex" },
          { type: "path", op: "re", value: "(" },
        ],
      },
    ];
  });
  for (const [whenError, status] of [
    ["closed", 403],
    ["open", 204],
  ] as const) {
    const gate = await world.startGate({ hosts, dir, whenError }, { server: relay.url });
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
    assert.ok(body.projects.every(({ ageMs }) => (ageMs ?? -1) >= 0));
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
