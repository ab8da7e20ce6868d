import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Condition, Configuration, Rule } from "./config.ts";
import { costOf, patternCost } from "./cost.ts";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { compilePattern } from "./pattern/pattern.ts";

function rule(conditions: readonly Condition[], parts: Partial<Rule> = {}): Rule {
  return { id: "r", name: "r", active: true, conditionGroup: [{ conditions }], action: {}, ...parts };
}

function cost(parts: Partial<Configuration>): number {
  return costOf({ firewallEnabled: true, rules: [], ips: [], ...parts });
}

/** Expressions of many sizes that are in many states at once: the slowest ones. */
const WORST = [
  ...[8, 20, 60, 200].map((times) => `(?:a|b)*a(?:a|b){${times}}[xy]`),
  "(?:.*a){200}x",
  "(?:a?){300}a{300}x",
  "(?:aa|ab|ba|bb|a|b){100}[xy]",
  ".{0,900}[xy]z",
];
/** Twice the bound of docs/firewall.md, for slower processors. */
const MAX_UNIT_US = 4;

describe("the cost of a configuration", () => {
  it("is the sum of its parts, rounded up", () => {
    assert.equal(cost({}), 0);
    assert.equal(cost({ rules: [rule([{ type: "path", op: "eq", value: "/a" }])] }), 1);
    const list = Array.from({ length: 25 }, (_, at) => `/${at}`);
    assert.equal(cost({ rules: [rule([{ type: "path", op: "inc", value: list }])] }), 4);
    const { size } = compilePattern("a+b");
    assert.equal(cost({ rules: [rule([{ type: "path", op: "re", value: "a+b" }])] }), 50 + 25 * size);
    const ips = Array.from({ length: 11 }, (_, at) => ({
      id: `ip_${at}`,
      hostname: "*",
      ip: `10.0.0.${at}`,
      action: "deny" as const,
    }));
    assert.equal(cost({ ips }), 2);
    assert.equal(cost({ ips, rules: [rule([{ type: "path", op: "list", value: list.slice(0, 9) }])] }), 3);
  });

  it("includes rate limits, shared conditions once each, and inactive items", () => {
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

  it("covers the time that the slowest expressions take", () => {
    let state = 1;
    const letters = Array.from({ length: 1_024 }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return state & 0x1_0000 ? "a" : "b";
    });
    const texts = [letters.join(""), "a".repeat(1_024)];
    for (const expression of WORST) {
      const units = patternCost(expression);
      // Enough repetitions to exceed the resolution of the clock and to make JIT compilation negligible.
      const rounds = Math.ceil(40_000 / units);
      const patterns = Array.from({ length: rounds }, () => compilePattern(expression));
      for (const text of texts) {
        const look = () => {
          for (const pattern of patterns) pattern.test(text);
        };
        // The least of several: beside other work a processor is slower, in CPU time too.
        const ms = Math.min(...Array.from({ length: 4 }, () => threadMs(look)));
        const unitUs = (1_000 * ms) / (rounds * units);
        assert.ok(unitUs < MAX_UNIT_US, `${expression}: ${unitUs.toFixed(1)} µs per unit and KiB`);
      }
    }
  });
});
