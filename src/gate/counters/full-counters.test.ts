// What an operator learns of counters that are forgotten and of holds that do not begin.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounters } from "../../firewall/evaluator/counters.ts";
import type { Limit } from "../../firewall/evaluator/counting.ts";
import { createGateMetrics } from "../metrics.ts";
import { watchCounters } from "./full-counters.ts";

test("evicted counters and holds that are not stored are metrics of their project, and said once a minute with their rule", async () => {
  let now = 1_000_000;
  const warned: object[] = [];
  const log = { info() {}, error() {}, warn: (details: object) => void warned.push(details) };
  const metrics = createGateMetrics([], () => now);
  const observer = watchCounters("acme/shop", metrics.counters, () => now, log);
  const counters = createCounters({ counters: 16, holds: 2 }, observer);
  const limit: Limit = {
    rule: "rule_1",
    key: JSON.stringify(["count", "rule_1", "fixed_window", 600, ["ip"]]),
    algo: "fixed_window",
    windowMs: 600_000,
    limit: 1,
    hold: null,
    continues: false,
  };
  const hold = (client: string) =>
    counters.hold(JSON.stringify(["hold", "rule_2", "deny"]), client, { action: "deny", endsAt: now + 60_000 }, now);
  for (let at = 0; at < 20; at++) counters.count(limit, `${at}`, now);
  for (const client of ["one", "two", "three"]) hold(client);
  const inRules = ["rule_1", "rule_2"].map((rule) => ({ project: "acme/shop", rule }));
  assert.deepEqual(warned, inRules);
  const shown = await metrics.registry.metrics();
  assert.match(shown, /reeve_gate_counters_evicted_total\{project="acme\/shop"\} 4\n/);
  assert.match(shown, /reeve_gate_holds_not_stored_total\{project="acme\/shop"\} 2\n/);
  now += 60_000;
  for (let at = 20; at < 40; at++) counters.count(limit, `${at}`, now);
  assert.deepEqual(warned, [...inRules, inRules[0]]);
});
