// A client that has passed a challenge is not challenged again, and all other steps apply to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationOf, entryOf, evaluationOf, outcomeOf, ruleOf } from "../../../test/resources/evaluation.ts";
import { compileProtectionContext } from "./protection-context.ts";
import { createCounters } from "./counters.ts";
import { compileConfiguration, decide } from "./evaluator.ts";
import { explain } from "./explain.ts";

const onAdmin = [{ type: "path", op: "pre", value: "/admin" }] as const;

test("attack challenge mode lets who has passed through to the rules", () => {
  const compiled = compileConfiguration(
    configurationOf({ rules: [ruleOf("admin", { action: "deny" }, [...onAdmin])] }),
  );
  const context = compileProtectionContext({ isAttackMode: true, bypasses: [] });
  const decideFor = (url: string, challengePassed: boolean) =>
    outcomeOf(decide(compiled, context, { url, challengePassed }, createCounters(), 0));
  assert.equal(decideFor("/", false), "challenge by attack_mode");
  assert.equal(decideFor("/", true), "allow");
  assert.equal(decideFor("/admin", true), "deny by admin");
  const { decision, steps } = explain(compiled, context, { url: "/", challengePassed: true }, createCounters(), 0);
  assert.equal(decision.action, "allow");
  assert.deepEqual(
    [steps[0]?.phase, steps[0]?.outcome, steps[0]?.reason],
    ["attack_mode", "skipped", "the client has passed a challenge"],
  );
});

test("rules, holds, entries and managed sets that challenge are skipped, and the next step follows", () => {
  const { decide: decideOne } = evaluationOf(
    configurationOf({
      ips: [entryOf("entry", "203.0.113.7", "challenge")],
      rules: [
        ruleOf("held", { action: "challenge", actionDuration: "5m" }, [{ type: "path", op: "eq", value: "/held" }]),
        ruleOf("challenge", { action: "challenge" }, [...onAdmin]),
        ruleOf("deny", { action: "deny" }, [{ type: "query", op: "ex", key: "deny" }]),
      ],
      managedRules: { bot_protection: { active: true } },
    }),
  );
  const bot = { "user-agent": "curl/8.0" };
  for (const [attributes, without, passed] of [
    [{ url: "/", ip: "203.0.113.7" }, "challenge by entry", "allow"],
    [{ url: "/held", ip: "198.51.100.1" }, "challenge by held", "allow"],
    [{ url: "/other", ip: "198.51.100.1" }, "challenge by held", "allow"],
    [{ url: "/admin?deny" }, "challenge by challenge", "deny by deny"],
    [{ url: "/", headers: bot }, "challenge by bot_protection", "allow"],
  ] as const) {
    assert.equal(outcomeOf(decideOne(attributes)), without);
    assert.equal(outcomeOf(decideOne({ ...attributes, challengePassed: true })), passed);
  }
});
