// What `reeve gate` does at SIGTERM and at SIGHUP.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { stopReeve } from "../../cli/reeve-process.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { echo, listenOn, sendTo, startGateWorld } from "../gate-world.ts";
import { startGateProcess } from "./gate-process.ts";

/** Two signals within less count as one. */
const SAME_KEY_MS = 300;

const world = await startGateWorld();
const { team } = world;
const application = (await listenOn(echo)).url;

const settingsOf = (project: string) => ({
  server: world.server,
  key: world.key,
  hosts: `*=${team.slug}/${project}`,
  dir: world.newFolder(),
  environment: { REEVE_GATE_UPSTREAM: application },
});

test("a gate that is told to stop serves on while its health says so, until a second signal", async () => {
  const project = await world.newProject({ firewallEnabled: true, rules: [] });
  const settings = settingsOf(project);
  const environment = { ...settings.environment, REEVE_DRAIN: "3600" };
  const gate = await startGateProcess({ ...settings, environment });
  const health = () => sendTo(gate.url, "/.well-known/reeve/health");
  assert.equal((await health()).status, 200);
  gate.child.kill("SIGTERM");
  const told = await waitFor("the gate to say that it stops", async () => {
    const said = await health();
    return said.status === 503 ? said : undefined;
  });
  assert.equal((JSON.parse(told.text) as { status: string }).status, "shutting_down");
  const served = await sendTo(gate.url, "/");
  assert.equal(served.status, 200, served.text);
  await setTimeout(SAME_KEY_MS);
  const { code, stderr } = await stopReeve(gate);
  assert.equal(code, 0, stderr);
});

test("a gate that gets SIGHUP goes on with the key that its file has then, and with the old one if there is none", async () => {
  const newKey = async () => {
    const url = `/v1/api-keys?teamId=${team.id}`;
    const body = { name: "gate", role: "SECURITY" };
    const { apiKey, value } = (await world.request("POST", url, { token: world.user.token, body })).body;
    return { id: apiKey.id as string, value: value as string };
  };
  const deny = (path: string) => ({
    firewallEnabled: true,
    rules: [
      {
        name: "No",
        active: true,
        conditionGroup: [{ conditions: [{ type: "path", op: "eq", value: path }] }],
        action: { mitigate: { action: "deny" } },
      },
    ],
  });
  const project = await world.newProject(deny("/one"));
  const settings = settingsOf(project);
  const file = join(world.newFolder(), "key");
  const [first, second] = [await newKey(), await newKey()];
  writeFileSync(file, first.value);
  const environment = { ...settings.environment, REEVE_GATE_KEY_FILE: file };
  const gate = await startGateProcess({ ...settings, key: "", environment });
  const untilDenied = (path: string) =>
    waitFor(`${path} to be denied`, async () => (await sendTo(gate.url, path)).status === 403);
  await untilDenied("/one");
  writeFileSync(file, second.value);
  gate.child.kill("SIGHUP");
  const ended = await world.request("DELETE", `/v1/api-keys/${first.id}?teamId=${team.id}`, {
    token: world.user.token,
  });
  assert.equal(ended.status, 200, ended.text);
  await world.publish(project, deny("/two"));
  await untilDenied("/two");
  writeFileSync(file, "no key");
  gate.child.kill("SIGHUP");
  await world.publish(project, deny("/three"));
  await untilDenied("/three");
  const { code, stderr } = await stopReeve(gate);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /the API key cannot be used, and stays as it was/);
});
