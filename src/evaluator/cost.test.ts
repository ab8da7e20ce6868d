import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition, Configuration, Rule } from "./config.ts";
import { costOf } from "./cost.ts";
import { compilePattern } from "./pattern.ts";

function rule(conditions: readonly Condition[], parts: Partial<Rule> = {}): Rule {
  return { id: "r", name: "r", active: true, conditionGroup: [{ conditions }], action: {}, ...parts };
}

function cost(parts: Partial<Configuration>): number {
  return costOf({ firewallEnabled: true, rules: [], ips: [], ...parts });
}

describe("the cost of a configuration", () => {
  it("is the sum of its parts, rounded up", () => {
    assert.equal(cost({}), 0);
    assert.equal(cost({ rules: [rule([{ type: "path", op: "eq", value: "/a" }])] }), 1);
    const list = Array.from({ length: 25 }, (_, at) => `/${at}`);
    assert.equal(cost({ rules: [rule([{ type: "path", op: "inc", value: list }])] }), 4);
    const { size } = compilePattern("a+b");
    assert.equal(cost({ rules: [rule([{ type: "path", op: "re", value: "a+b" }])] }), 50 + 5 * size);
    const ips = Array.from({ length: 11 }, (_, at) => ({
      id: `ip_${at}`,
      hostname: "*",
      ip: `10.0.0.${at}`,
      action: "deny" as const,
    }));
    assert.equal(cost({ ips }), 2);
    assert.equal(cost({ ips, rules: [rule([{ type: "path", op: "list", value: list.slice(0, 9) }])] }), 3);
  });

  it("counts rate limits, shared conditions where they stand, and what is inactive", () => {
    const rateLimit = { algo: "fixed_window", window: 60, limit: 1, keys: ["ip", "ja4"] } as const;
    const limited = rule([{ type: "shared_condition", op: "inc", value: ["a", "b"] }], {
      active: false,
      action: { mitigate: { action: "rate_limit", rateLimit } },
    });
    assert.equal(cost({ rules: [limited, limited] }), 16);
    const group = [{ conditions: [{ type: "host", op: "ex" } as const] }];
    const shared = { id: "a", name: "a", active: false, conditionGroup: [...group, ...group] };
    assert.equal(cost({ rules: [limited], conditions: [shared] }), 10);
  });
});
