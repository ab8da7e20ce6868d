// What a gate makes of the bundle that it finds on disk: it is used until the control plane answers, and never confirmed by itself.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { Body } from "../harness/test-app.ts";
import { becomes, changeBundle, check, deny, health, leaveBundle, textIn } from "./failing-gate.ts";
import { listenOn, sendTo, startGateWorld } from "./gate-world.ts";

const world = await startGateWorld();
const { team, clock } = world;

test("a bundle on disk that was changed is not used, and the policy for no bundle applies", async () => {
  const { hosts, relay, dir, file } = await leaveBundle(world);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const whole = readFileSync(file, "utf8");
  for (const broken of [whole.replace("/admin", "/nimda"), whole.slice(0, -10), "", "{}\n", "nonsense"]) {
    writeFileSync(file, broken);
    const logged: string[] = [];
    const log = { info() {}, warn() {}, error: (_details: object, message: string) => void logged.push(message) };
    const open = await world.startGate({ hosts, dir }, { server: relay.url, log });
    assert.deepEqual([await check(open, "/admin"), (await health(open)).status], [204, 503]);
    assert.ok(logged.some((message) => message.includes("the bundle on disk cannot be used")));
    assert.ok(logged.some((message) => message.includes("REEVE_GATE_NO_BUNDLE")));
    const { text: metrics } = await sendTo(open.url, "/.well-known/reeve/metrics");
    assert.match(metrics, /reeve_gate_bundle_file_failures_total\{operation="read"\} 1/);
    await open.close();
    const closed = await world.startGate({ hosts, dir, whenNoBundle: "closed" }, { server: relay.url });
    assert.equal(await check(closed, "/"), 403);
    await closed.close();
  }
});

test("a bundle on disk that was changed with its digest is replaced by the first answer of the control plane", async () => {
  const changes: ((bundle: Body) => void)[] = [
    ({ configuration }) => (configuration.rules = []),
    ({ bypasses }) => bypasses.push({ domain: null, ip: null, expiresAt: null }),
    ({ challengeKeys }) => (challengeKeys[0].key = Buffer.alloc(32).toString("base64url")),
    (bundle) => (bundle.configuration = null),
  ];
  for (const change of changes) {
    const { hosts, relay, dir, file } = await leaveBundle(world);
    const whole = textIn(file);
    changeBundle(file, change);
    const gate = await world.startGate({ hosts, dir }, { server: relay.url });
    assert.notEqual(textIn(file), whole, "without the control plane nothing else is known");
    await gate.close();
    await relay.restore();
    const again = await world.startGate({ hosts, dir }, { server: relay.url });
    assert.equal(await check(again, "/admin"), 403);
    assert.equal(textIn(file), whole);
    await again.close();
  }
});

test("a bundle on disk that was changed with its digest is replaced when the control plane is back", async () => {
  const { hosts, relay, dir, file } = await leaveBundle(world);
  changeBundle(file, ({ configuration }) => (configuration.rules = []));
  const gate = await world.startGate({ hosts, dir }, { server: relay.url });
  assert.equal(await check(gate, "/admin"), 204);
  await relay.restore();
  await becomes(gate, "/admin", 403);
});

test("an older bundle that was put back is replaced by the first answer of the control plane", async () => {
  const { project, hosts, relay, dir, file } = await leaveBundle(world);
  const older = readFileSync(file, "utf8");
  await relay.restore();
  await world.publish(project, { firewallEnabled: true, rules: [deny("other", "/other")] });
  const gate = await world.startGate({ hosts, dir }, { server: relay.url });
  await gate.close();
  writeFileSync(file, older);
  const again = await world.startGate({ hosts, dir }, { server: relay.url });
  assert.deepEqual([await check(again, "/admin"), await check(again, "/other")], [204, 403]);
});

test("the bundle of another project is not used, whatever its file is called", async () => {
  const { relay, dir, file } = await leaveBundle(world);
  const other = await world.newProject({ firewallEnabled: true, rules: [] });
  copyFileSync(file, join(dir, `${team.slug}~${other}.bundle`));
  const gate = await world.startGate(
    { hosts: [{ host: "*", team: team.slug, project: other }], dir },
    { server: relay.url },
  );
  assert.deepEqual([await check(gate, "/admin"), (await health(gate)).body.projects[0]?.state], [204, "missing"]);
});

test("a bundle on disk is not confirmed by an answer that it is unchanged, which nobody asked for", async () => {
  const { hosts, relay, dir, file } = await leaveBundle(world);
  const { url } = await listenOn((_message, res) => void res.writeHead(304).end());
  writeFileSync(file, readFileSync(file, "utf8").replace(relay.url, url));
  const gate = await world.startGate({ hosts, dir }, { server: url });
  clock.advance(2 * MINUTE_MS);
  const { body } = await health(gate);
  assert.equal(body.projects[0]?.state, "stale");
  assert.match(body.projects[0]?.problem ?? "", /304/);
});

test("a bundle on disk that others could read is used, and they cannot any more", async (context) => {
  const { hosts, relay, dir, file } = await leaveBundle(world);
  const startAgain = async () => {
    const warned: string[] = [];
    const log = { info() {}, error() {}, warn: (_details: object, message: string) => void warned.push(message) };
    const again = await world.startGate({ hosts, dir }, { server: relay.url, log });
    assert.equal(await check(again, "/admin"), 403);
    await again.close();
    return warned.filter((message) => /others than the gate's account ha/.test(message));
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
