// What one client, or one network, can take of a store that gates share.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MAX_HOLDS } from "../../../src/firewall/evaluator/counters.ts";
import type { Limit } from "../../../src/firewall/evaluator/counting.ts";
import { countInRedis } from "../../../src/gate/counters/count-script.ts";
import type { RunningGate } from "../../../src/gate/run-gate.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { check } from "../failing-gate.ts";
import { sendTo, startGateWorld } from "../gate-world.ts";
import { connectTo, startRedis } from "./redis-server.ts";

const world = await startGateWorld();
const redis = await startRedis();

async function metrics({ url }: RunningGate): Promise<string> {
  return (await sendTo(url, "/.well-known/reeve/metrics")).text;
}

/** A gate that shares. */
async function startGate(project: string): Promise<RunningGate> {
  const gate = await world.startGate({
    hosts: [{ host: "*", team: world.team.slug, project }],
    redisUrl: redis.url,
  });
  await waitFor("the store", async () => (await metrics(gate)).includes("reeve_gate_counter_store_up 1") || undefined);
  return gate;
}

test("a flood of holds takes no place of another rule, also at a gate that starts", async () => {
  const project = await world.newProject({
    firewallEnabled: true,
    rules: [
      {
        name: "trap",
        active: true,
        conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/trap" }] }],
        action: { mitigate: { action: "deny", actionDuration: "1h" } },
      },
    ],
  });
  const one = await startGate(project);
  const [early, later] = ["198.51.100.1", "198.51.100.2"];
  assert.equal(await check(one, "/trap", { "x-forwarded-for": early }), 403);
  const [stream = ""] = await waitFor("the hold in the store", async () => {
    const keys = (await redis.command("KEYS", `*:${project}:holds*`)) as string[];
    return keys.length > 0 ? keys : undefined;
  });
  const scope = stream.replace(/:holds.*/, "");
  const { send } = await connectTo(redis.url);
  const flood = async (rule: string, forMs: number, clients: number) => {
    const hold = { key: rule, action: "deny", forMs } as const;
    const limit: Limit = { rule, key: rule, algo: "fixed_window", windowMs: 1, limit: 0, hold, continues: true };
    for (let at = 0; at < clients; at += 100) {
      const queries = Array.from({ length: 100 }, (_, n) => ({ limit, client: `${at + n}` }));
      await countInRedis(send, scope, queries);
    }
  };
  await flood("cookies for an hour", 3_600_000, 60_000);
  await flood("cookies for a minute", 60_000, 30_000);
  assert.equal(await check(one, "/trap", { "x-forwarded-for": later }), 403);
  const late = await startGate(project);
  for (const ip of [early, later]) {
    assert.equal(await check(one, "/", { "x-forwarded-for": ip }), 403);
    await waitFor(
      "the hold at a gate that starts",
      async () => (await check(late, "/", { "x-forwarded-for": ip })) === 403 || undefined,
    );
  }
  const lengths = [3_600_000, 60_000].map((forMs) => redis.command("XLEN", `${scope}:holds:${forMs}`));
  assert.deepEqual(await Promise.all(lengths), [MAX_HOLDS / 2 + 2, MAX_HOLDS / 4]);
});

test("a network gets as many passes by waiting over all gates as at one", async () => {
  const project = await world.newProject({ firewallEnabled: true, rules: [] });
  const gates = [await startGate(project), await startGate(project)] as const;
  const page = "/.well-known/reeve/challenge";
  let network = 0;
  const statuses = await waitFor("a store that answers in time", async () => {
    const headers = { host: "shop.test", "x-forwarded-for": `203.0.${network++}.1` };
    const ask = async (at: number, target: string) =>
      await sendTo((gates[at % 2] as RunningGate).url, target, { headers });
    const tokens: string[] = [];
    for (let at = 0; at < 12; at++) {
      tokens.push(/data-token="([^"]*)"/.exec((await ask(at, page)).text)?.[1] ?? assert.fail());
    }
    world.clock.advance(10_000);
    const failures = async () =>
      (await Promise.all(gates.map(metrics))).map((text) => /failures_total\{.*/.exec(text)?.[0]);
    const before = await failures();
    const given: number[] = [];
    for (const [at, token] of tokens.entries())
      given.push((await ask(at, `${page}/wait?token=${token}&return=/`)).status);
    return String(await failures()) === String(before) ? given : undefined;
  });
  assert.deepEqual(statuses, [...Array<number>(10).fill(303), 429, 429]);
});
