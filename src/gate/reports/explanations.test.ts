import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounters } from "../../evaluator/counters.ts";
import type { Bundle } from "../../evaluator/bundle.ts";
import type { Rule } from "../../evaluator/config.ts";
import type { GateDecision } from "../decision.ts";
import { compileProtection } from "../protection.ts";
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
function openExplanations(protection: ReturnType<typeof protectionOf>, takes: number) {
  const time = { now: 0 };
  const explanations = createExplanations(() => time.now);
  const explain = (ruleId: string) =>
    explanations.explain(protection, denied(ruleId), () => {
      time.now += takes;
      return protection.explain({ url: "https://shop.test/admin" }, createCounters(), 0);
    });
  return { time, explain };
}

test("explanations take a bounded part of the time, and go on when there is time again", () => {
  const { time, explain } = openExplanations(protectionOf([ruleOf("^/admin", 0)]), 9);
  assert.deepEqual(
    [1, 2, 3, 4, 5].map(() => explain("rule_0") !== null),
    [true, true, true, false, false],
  );
  time.now += 1_000;
  assert.notEqual(explain("rule_0"), null);
});

test("a configuration that is costly to evaluate is not explained", () => {
  const costly = Array.from({ length: 500 }, (_, at) => ruleOf(`^/(?:a|b)*${at}[xy]z`, at));
  const { explain } = openExplanations(protectionOf([ruleOf("^/admin", 500), ...costly]), 0);
  assert.equal(explain("rule_500"), null);
});

test("what explains another decision is left out", () => {
  const { explain } = openExplanations(protectionOf([ruleOf("^/admin", 0)]), 0);
  assert.equal(explain("rule_0")?.length, 1);
  assert.equal(explain("rule_1"), null);
});
