import assert from "node:assert/strict";
import { test } from "node:test";
import { decisionHeader, parseDecisionHeader } from "./decision.ts";

test("the header of a decision is read back as it was written, and nothing else is taken for one", () => {
  for (const text of [
    "deny; rule=rule_1; version=3; id=abc",
    "deny; reason=unknown_host; id=abc",
    "challenge; version=12; id=abc",
    "allow; version=3; id=abc",
    "deny; version=1; reason=body_nul; id=abc",
  ]) {
    const decision = parseDecisionHeader(text) ?? assert.fail(text);
    assert.equal(decisionHeader(decision), text);
  }
  const watched = { ...(parseDecisionHeader("deny; version=3; id=abc") ?? assert.fail()), action: "allow" } as const;
  assert.equal(
    decisionHeader({
      ...watched,
      by: { phase: "rule", id: "rule 1;\r\nid=x", name: null },
      reason: "detect_only",
      wouldBe: "deny",
      logged: [{ phase: "rule", id: "rule_2", name: "Watch" }],
    }),
    "allow; rule=rule_1___id_x; version=3; reason=detect_only; would=deny; id=abc",
  );
  const attacked = { phase: "attack_mode", id: null, name: null } as const;
  assert.equal(
    decisionHeader({ ...watched, action: "challenge", by: attacked }),
    "challenge; phase=attack_mode; version=3; id=abc",
  );
  const passed = parseDecisionHeader("allow; version=3; id=abc") ?? assert.fail();
  const logged = [{ phase: "rule", id: "rule_2", name: "Watch" }] as const;
  assert.equal(decisionHeader({ ...passed, logged }), "log; rule=rule_2; version=3; id=abc");
  assert.equal(decisionHeader({ ...passed, action: "bypass", logged }), "bypass; version=3; id=abc");
  assert.equal(parseDecisionHeader("deny; reason=toString; id=abc")?.reason, null);
  for (const text of ["", "deny", "toString; id=abc", "deny; id="]) assert.equal(parseDecisionHeader(text), null, text);
});
