// Rules of the firewall in words: every type, every operator and every action can be said.
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionWords, ruleWords } from "../../console/pages/firewall/rules/rule-words.ts";
import type { Condition, Rule } from "../../console/pages/firewall/config-types.ts";
import { RULE_ACTIONS } from "../../src/firewall/evaluator/config.ts";
import type { ConditionType } from "../../src/firewall/evaluator/config.ts";
import { EXISTENCE, LISTS, TYPES } from "../../src/firewall/evaluator/condition-types.ts";
import { conditionOf, ruleOf, typedRule } from "../../console/pages/firewall/rules/rule-form.ts";

/** Every type with each of its operators, as it is and inverted. */
const EVERY = Object.entries(TYPES).flatMap(([type, { operators, hasKey }]) =>
  operators.flatMap((op) =>
    [false, true].map((neg): Condition => ({
      type: type as ConditionType,
      op,
      ...(neg && { neg }),
      ...(hasKey && { key: "X-Key" }),
      ...(!EXISTENCE.has(op) && { value: LISTS.has(op) ? ["one", "two"] : "one" }),
    })),
  ),
);

test("every condition has words of its own, which name its key and its values", () => {
  const seen = new Set<string>();
  for (const condition of EVERY) {
    const words = conditionWords(condition);
    assert.doesNotMatch(words, /undefined|\{|  /, words);
    if (condition.key) assert.ok(words.includes(condition.key), words);
    if (condition.value) assert.ok(words.includes("one"), words);
    seen.add(words);
  }
  // `list` and `inc` inverted, and a negated operator and its opposite, mean the same.
  assert.ok(seen.size > EVERY.length / 2, `${seen.size} of ${EVERY.length}`);
});

test("every condition comes out of the form as it went in, also when it is typed anew", () => {
  const rule: Rule = { id: "r", name: "R", active: true, conditionGroup: [{ conditions: EVERY }], action: {} };
  const typed = typedRule(rule);
  assert.deepEqual(ruleOf(typed, rule), rule);
  const anew = typed.groups.flatMap(({ conditions }) =>
    conditions.map(({ stored: _stored, ...condition }) => conditionOf(condition)),
  );
  assert.deepEqual(anew, EVERY);
});

test("a rule is one sentence", () => {
  const path: Condition = { type: "path", op: "pre", value: "/a/" };
  const groups = [
    { conditions: [path, { type: "method", op: "inc", value: ["GET", "PUT", "POST", "HEAD"] } as Condition] },
  ];
  const say = (mitigate: Rule["action"]["mitigate"], conditionGroup: Rule["conditionGroup"] = groups) =>
    ruleWords({ conditionGroup, action: mitigate ? { mitigate } : {} });
  assert.equal(
    say({ action: "deny", actionDuration: "1h" }),
    "When the path begins with /a/ and the method is one of GET, PUT, POST, 1 more: deny the request, and the client for 1 hour.",
  );
  assert.equal(
    say({ action: "redirect", redirect: { location: "/b", permanent: true } }, [
      { conditions: [path] },
      { conditions: [path] },
    ]),
    "When the path begins with /a/; or when the path begins with /a/: redirect to /b permanently.",
  );
  assert.equal(say(undefined, []), "Never (it has no conditions): log the request.");
  for (const action of RULE_ACTIONS) assert.doesNotMatch(say({ action }), /undefined|\{/);
});

test("a shared condition is named as people named it", () => {
  const condition: Condition = { type: "shared_condition", op: "eq", value: "c1" };
  const shared = [{ id: "c1", name: "Office", active: true, conditionGroup: [] }];
  assert.equal(conditionWords(condition, shared), "the shared condition is Office");
  assert.equal(conditionWords(condition, []), "the shared condition is c1");
});
