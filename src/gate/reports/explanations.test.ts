import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounters } from "../../firewall/evaluator/counters.ts";
import type { Bundle } from "../../firewall/evaluator/bundle.ts";
import type { Rule } from "../../firewall/evaluator/config.ts";
import { TimeLimitError } from "../../firewall/evaluator/time-limit.ts";
import type { GateDecision } from "../decision.ts";
import { compileProtection } from "../protection.ts";
import type { Protection } from "../protection.ts";
import { createExplanations } from "./explanations.ts";

function ruleOf(value: string, index: number): Rule {
  return {
    id: `rule_${index}`,
    name: `Rule ${index}`,
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "re", value }] }],
    action: { mitigate: { action: "deny" } },
  } as unknown as Rule;
}

function protectionOf(rules: readonly Rule[]) {
  const bundle: Bundle = {
    ownerId: "team",
    projectId: "shop",
    configuration: { version: 1, firewallEnabled: true, rules, ips: [] },
    attackMode: { isEnabled: false, activeUntil: null },
    bypasses: [],
    bypassRules: [],
    challengeKeys: [],
  };
  return compileProtection(bundle, 0);
}

const denied = (id: string): GateDecision => ({
  id: "decision",
  action: "deny",
  status: 403,
  by: { phase: "rule", id, name: null },
  version: 1,
  reason: null,
  wouldBe: null,
  location: null,
  retryAfter: null,
  logged: [],
});

/** Explains a request for `/admin`; `takes` ms pass meanwhile. */
function openExplanations(protection: Protection, takes: number) {
  const time = { now: 0 };
  const explanations = createExplanations(() => time.now);
  const explain = (ruleId: string) =>
    explanations.explain(denied(ruleId), () => {
      time.now += takes;
      return protection.explain({ url: "https://shop.test/admin" }, createCounters(), 0);
    });
  return { time, explain };
}

test("explanations take a bounded part of the time, and go on when there is time again", async () => {
  const { time, explain } = openExplanations(await protectionOf([ruleOf("^/admin", 0)]), 9);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => explain("rule_0") !== null),
    [true, true, true, false, false],
  );
  time.now += 1_000;
  assert.notEqual(explain("rule_0"), null);
});

test("a configuration that is costly to evaluate is given up, and counts as the time that it took", async () => {
  const slow = ruleOf("[a-z/]{900}\\d{900}", 1);
  const protection = await protectionOf([ruleOf("^/admin", 0), slow, { ...slow, id: "rule_2" }]);
  const url = `https://shop.test/admin/${"ab".repeat(8_000)}`;
  const explain = () => protection.explain({ url }, createCounters(), 0);
  assert.throws(explain, TimeLimitError);
  const time = { now: 0 };
  const explanations = createExplanations(() => time.now);
  const failing = (work: () => ReturnType<typeof explain>) =>
    explanations.explain(denied("rule_0"), () => {
      time.now += 25;
      return work();
    });
  assert.equal(failing(explain), null);
  assert.equal(
    explanations.explain(denied("rule_0"), () => assert.fail("there was no time left")),
    null,
  );
  time.now += 1_000;
  assert.throws(() => failing(() => assert.fail("as it is")), /as it is/);
});

test("what explains another decision is left out", async () => {
  const { explain } = openExplanations(await protectionOf([ruleOf("^/admin", 0)]), 0);
  assert.equal(explain("rule_0")?.length, 1);
  assert.equal(explain("rule_1"), null);
});
