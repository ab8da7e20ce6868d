// Shorthands for configurations and requests, and for deciding and explaining a request at once.
import assert from "node:assert/strict";
import type { Condition, Configuration, IpEntry, Mitigation, Rule } from "../../src/firewall/evaluator/config.ts";
import { createCounters } from "../../src/firewall/evaluator/counters.ts";
import type { Decision, Explanation } from "../../src/firewall/evaluator/decision.ts";
import { compileConfiguration, decide } from "../../src/firewall/evaluator/evaluator.ts";
import { explain } from "../../src/firewall/evaluator/explain.ts";
import type { ProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";
import { compileProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";

/** One group for each list of conditions; without any, one that every request matches. */
export function ruleOf(
  id: string,
  mitigate: Mitigation | undefined,
  ...groups: readonly (readonly Condition[])[]
): Rule {
  const all = groups.length === 0 ? [[{ type: "path", op: "ex" } as const]] : groups;
  return {
    id,
    name: `rule ${id}`,
    active: true,
    conditionGroup: all.map((conditions) => ({ conditions })),
    action: mitigate ? { mitigate } : {},
  };
}

export function entryOf(id: string, ip: string, action: IpEntry["action"], hostname = "*"): IpEntry {
  return { id, ip, action, hostname };
}

export function configurationOf(parts: Partial<Configuration>): Configuration {
  return { firewallEnabled: true, rules: [], ips: [], ...parts };
}

const CALM: ProtectionContext = { isAttackMode: false, bypasses: [] };

interface Evaluation {
  explain(attributes: RequestAttributes, now?: number): Explanation;
  decide(attributes: RequestAttributes, now?: number): Decision;
}

/** Decides and explains each request, with separate counters; both must have the same result. */
export function evaluationOf(configuration: Configuration, context: ProtectionContext = CALM): Evaluation {
  const compiled = compileConfiguration(configuration);
  const around = compileProtectionContext(context);
  const counters = { decide: createCounters(), explain: createCounters() };
  function explainOne(attributes: RequestAttributes, now = 0): Explanation {
    const explanation = explain(compiled, around, attributes, counters.explain, now);
    assert.deepEqual(decide(compiled, around, attributes, counters.decide, now), explanation.decision);
    return explanation;
  }
  return { explain: explainOne, decide: (attributes, now) => explainOne(attributes, now).decision };
}

/** The action, and the rule that decided it. */
export function outcomeOf({ action, by }: Decision): string {
  return by ? `${action} by ${by.id ?? by.phase}` : action;
}
