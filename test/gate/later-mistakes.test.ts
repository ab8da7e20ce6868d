// Mistakes while a gate runs, or with an earlier bundle: the gate says it and goes on with what it has.
import assert from "node:assert/strict";
import { test } from "node:test";
import { uniqueName } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { ADMIN, becomes, check, deny, health } from "./failing-gate.ts";
import { AWAY, FOREIGN, answerWith, startFront } from "./front.ts";
import type { Front } from "./front.ts";
import { sendTo } from "./gate-world.ts";
import { pollAtOnce, recordLog, startMistakenWorld } from "./mistaken-world.ts";

const world = await startMistakenWorld();
const { createKey, protectedBy, revoke, team, user } = world;

/** Resolves when the gate has asked for bundles and has taken the answer. */
async function askTwice(front: Front): Promise<void> {
  const { asked } = front;
  await waitFor("the gate to ask twice", () => front.asked > asked + 1 || undefined);
}

test("a gate that was away learns of a mistake, which an outage does not take back, and of its repair", async (t) => {
  pollAtOnce(t);
  const front = await startFront(world);
  const project = await world.newProject(ADMIN);
  const { errors, log } = recordLog();
  front.answer = AWAY["a page of maintenance"]!;
  const gate = await world.startGate({ hosts: [{ host: "*", team: team.slug, project }] }, { server: front.url, log });
  assert.equal(await check(gate, "/"), 204);
  const kind = async () => (await health(gate)).body.projects[0]?.problemKind;
  front.answer = answerWith(401, '{"error":{"code":"not_authorized","message":"Not authorized"}}');
  await becomes(gate, "/", 403);
  assert.equal(await kind(), "mistake");
  front.answer = AWAY["a page of maintenance"]!;
  await askTwice(front);
  assert.deepEqual([await check(gate, "/"), await kind()], [403, "mistake"]);
  front.answer = null;
  await becomes(gate, "/", 204);
  assert.deepEqual([await check(gate, "/admin"), await kind()], [403, undefined]);
  assert.equal(errors.filter((line) => line.includes("REEVE_GATE_KEY_FILE (--key-file)")).length, 1);
});

test("a key that is revoked while a gate runs is one error in the log, in health and metric, and takes no protection away", async (t) => {
  pollAtOnce(t);
  const { id, value } = await createKey();
  const front = await startFront(world);
  const project = await world.newProject(ADMIN);
  const { errors, warnings, log } = recordLog();
  const hosts = [{ host: "*", team: team.slug, project }];
  const gate = await world.startGate({ hosts }, { server: front.url, key: value, log });
  await revoke(id);
  const problem = await waitFor("the refusal", async () => (await health(gate)).body.projects[0]?.problem);
  assert.match(problem, /^REEVE_GATE_KEY_FILE \(--key-file\): expected an API key .*401/);
  await askTwice(front);
  assert.equal((await health(gate)).body.projects[0]?.problemKind, "mistake");
  const { text } = await sendTo(gate.url, "/.well-known/reeve/metrics");
  assert.match(text, /reeve_gate_bundle_refreshes_total\{outcome="mistake"\} [1-9]/);
  assert.doesNotMatch(text, /outcome="failed"/);
  assert.deepEqual([await check(gate, "/admin"), await check(gate, "/")], [403, 204]);
  assert.equal(errors.length, 1, errors.join("\n"));
  assert.match(errors[0] ?? "", /the gate goes on with the last bundle .*REEVE_GATE_KEY_FILE/);
  assert.deepEqual(
    warnings.filter((line) => line.includes("bundle")),
    [],
  );
});

for (const what of ["a page", "a page that says that there is none", "a redirect to another address"]) {
  test(`a start with an earlier bundle goes on with it when the server answers ${what}`, async () => {
    const front = await startFront(world);
    const [project, dir] = [await world.newProject(ADMIN), world.newFolder()];
    const first = await protectedBy({ server: front.url, project, dir });
    assert.deepEqual(await first.gate.ready, { protected: true, reason: null });
    await first.gate.close();
    front.answer = FOREIGN[what]!;
    const again = await protectedBy({ server: front.url, project, dir });
    const { protected: isProtected, reason } = await again.gate.ready;
    assert.equal(isProtected, true);
    assert.match(reason ?? "", /^createGate: server: expected /);
    assert.deepEqual([(await again.ask("/admin")).status, (await again.ask("/")).status], [403, 200]);
    assert.equal(again.errors.length, 1);
  });
}

test("a start with an earlier bundle and a key that was revoked meanwhile goes on with the bundle, and says it", async () => {
  const { id, value } = await createKey();
  const [project, dir] = [await world.newProject(ADMIN), world.newFolder()];
  const first = await protectedBy({ key: value, project, dir });
  await first.gate.ready;
  await first.gate.close();
  await revoke(id);
  const again = await protectedBy({ key: value, project, dir });
  const { protected: isProtected, reason } = await again.gate.ready;
  assert.equal(isProtected, true);
  assert.match(reason ?? "", /^createGate: key: .*401/);
  assert.equal((await again.ask("/admin")).status, 403);
  assert.equal(again.gate.health().projects[0]?.problemKind, "mistake");
});

test("a team that is deleted and comes back under its name: the gate goes on, says it, and takes the new configuration", async (t) => {
  pollAtOnce(t);
  const slug = uniqueName("gone").toLowerCase();
  const owner = { token: user.token };
  const create = async (path: string) => {
    assert.equal((await world.request("POST", "/v1/teams", { ...owner, body: { slug } })).status, 200);
    const body = { firewallEnabled: true, rules: [deny("only", path)] };
    const put = await world.request("PUT", `/v1/firewalls?slug=${slug}&projectId=shop`, { ...owner, body });
    assert.equal(put.status, 200, put.text);
  };
  await create("/first");
  const hosts = [{ host: "*", team: slug, project: "shop" }];
  const gate = await world.startGate({ hosts }, { key: user.token });
  assert.equal(await check(gate, "/first"), 403);
  const deleted = await world.request("DELETE", `/v1/teams/${slug}`, { ...owner, body: {} });
  assert.ok(deleted.status < 300, deleted.text);
  const gone = await waitFor("the refusal", async () => (await health(gate)).body.projects[0]?.problem);
  assert.match(
    gone,
    /^REEVE_GATE_HOSTS \(--hosts\): expected the team that the key is of, got "[\w-]+\/shop": Team not found/,
  );
  assert.equal(await check(gate, "/first"), 403);
  await create("/second");
  await becomes(gate, "/second", 403);
  assert.deepEqual([await check(gate, "/first"), (await health(gate)).body.projects[0]?.problem], [204, undefined]);
});

test("a gate within an application is protected as soon as the project exists, after its start was rejected", async (t) => {
  pollAtOnce(t);
  const project = uniqueName("later");
  const { gate, ask } = await protectedBy({ project });
  await assert.rejects(gate.ready);
  assert.equal((await ask("/")).status, 403);
  await world.publish(project, ADMIN);
  await waitFor("the bundle", async () => (await ask("/")).status === 200 || undefined);
  assert.deepEqual([(await ask("/admin")).status, gate.health().status], [403, "ok"]);
});
