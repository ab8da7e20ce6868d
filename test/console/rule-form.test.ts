// The form of a firewall rule: what is stored, what is typed, and the rule that it means.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  countChanges,
  listedIn,
  ruleOf,
  typedRule,
  withComparison,
  withoutTyped,
} from "../../console/pages/firewall/rules/rule-form.ts";

const RULE = {
  name: "Office",
  active: true,
  conditionGroup: [
    {
      conditions: [
        { type: "ip_address", op: "ninc", value: ["192.0.2.1", "2001:db8::/48"] },
        { type: "geo_as_number", op: "inc", value: [64_496, 64_497] },
        { type: "path", op: "pre", value: "/admin/" },
        { type: "header", op: "nex", key: "x-token" },
      ],
    },
  ],
  action: {
    mitigate: { action: "rate_limit", rateLimit: { algo: "fixed_window", window: 60, limit: 5, keys: ["ip", "path"] } },
  },
} as const;
const stored = structuredClone(RULE) as unknown as Parameters<typeof typedRule>[0];

test("a rule that nobody changes is stored as it was, numbers included", () => {
  const typed = typedRule(stored);
  assert.deepEqual(ruleOf(typed, stored), RULE);
  assert.deepEqual(ruleOf(withoutTyped(typed), stored), RULE);
  assert.equal(countChanges(typed, withoutTyped(typed)), 0);
});

test("what is still being typed counts as a value, and becomes one of several", () => {
  const [address] = typedRule(stored).groups[0]?.conditions ?? [];
  assert.ok(address);
  const typed = {
    ...typedRule(stored),
    groups: [{ at: 1, conditions: [{ ...address, text: `${address.text}198.51.100.7` }] }],
  };
  for (const one of [typed, withoutTyped(typed)]) {
    assert.deepEqual(ruleOf(one, stored).conditionGroup[0]?.conditions, [
      { type: "ip_address", op: "ninc", value: ["192.0.2.1", "2001:db8::/48", "198.51.100.7"] },
    ]);
  }
  // With an operator that takes one value, the first one stays; and one value is the first of several.
  const single = withComparison(address, { op: "eq", isNot: false });
  assert.equal(single.text, "192.0.2.1");
  assert.equal(withComparison(single, { op: "inc", isNot: false }).text, "192.0.2.1\n");
});

test("a pasted list has its values on lines or between commas, unless a value may have commas", () => {
  assert.deepEqual(listedIn("ip_address", "192.0.2.1, 192.0.2.2;\r\n192.0.2.1\n"), ["192.0.2.1", "192.0.2.2"]);
  assert.deepEqual(listedIn("path", "/a,b\r\n /c \n"), ["/a,b", "/c"]);
});
