// What tests of failures ask a gate, and the file of a bundle that a gate has left.
import { hash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GateHealth } from "../../src/gate/gate-status.ts";
import type { RunningGate } from "../../src/gate/run-gate.ts";
import type { Body } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { sendTo } from "./gate-world.ts";
import type { GateWorld } from "./gate-world.ts";
import { startRelay } from "./relay.ts";

export const deny = (name: string, path: string) => ({
  name,
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: path }] }],
  action: { mitigate: { action: "deny" } },
});
export const ADMIN = { firewallEnabled: true, rules: [deny("admin", "/admin")] };

/** The status for a proxy that asks. */
export async function check({ url }: RunningGate, target: string, headers: object = {}): Promise<number> {
  const asked = {
    "x-forwarded-method": "GET",
    "x-forwarded-host": "shop.test",
    "x-forwarded-uri": target,
    ...headers,
  };
  return (await sendTo(url, "/.well-known/reeve/check", { headers: asked })).status;
}

export const becomes = (gate: RunningGate, target: string, status: number) =>
  waitFor(`${status} for ${target}`, async () => (await check(gate, target)) === status || undefined);

export async function health({ url }: RunningGate) {
  const { status, text } = await sendTo(url, "/.well-known/reeve/health");
  return {
    status,
    body: JSON.parse(text) as GateHealth,
  };
}

/** The file of a bundle that a gate has left, and a control plane that is away. */
export async function leaveBundle(world: GateWorld) {
  const project = await world.newProject(ADMIN);
  const hosts = [{ host: "*", team: world.team.slug, project }];
  const relay = await startRelay(world.port);
  const dir = world.newFolder();
  const gate = await world.startGate({ hosts, dir }, { server: relay.url });
  await gate.close();
  await relay.cut();
  const [name = ""] = readdirSync(dir);
  return { project, hosts, relay, dir, file: join(dir, name) };
}

/** The bundle in a file, below its head. */
export function textIn(file: string): string {
  const content = readFileSync(file, "utf8");
  return content.slice(content.indexOf("\n") + 1);
}

/** Changes a bundle on disk, and computes its digest again. */
export function changeBundle(file: string, change: (bundle: Body) => void): void {
  const [head = ""] = readFileSync(file, "utf8").split("\n", 1);
  const bundle = JSON.parse(textIn(file));
  change(bundle);
  const text = JSON.stringify(bundle);
  writeFileSync(file, `${JSON.stringify({ ...JSON.parse(head), sha256: hash("sha256", text) })}\n${text}`);
}
