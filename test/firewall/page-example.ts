// The type of an example of docs/firewall.md, and helpers to write one.
import type { Condition, Configuration, Mitigation, Rule } from "../../src/firewall/evaluator/config.ts";
import type { Decision } from "../../src/firewall/evaluator/decision.ts";
import type { ProtectionContext } from "../../src/firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../src/firewall/evaluator/request/attributes.ts";

export interface PageExample {
  readonly name: string;
  readonly configuration: Configuration;
  readonly context?: ProtectionContext;
  /** In this order, with the time in seconds from the first; a decision's action, or members of it. */
  readonly requests: readonly (readonly [
    attributes: RequestAttributes,
    expected: Partial<Decision>,
    atSeconds?: number,
  ])[];
}

export const OFF: Configuration = { firewallEnabled: true, rules: [], ips: [] };

export function rule(conditions: readonly Condition[], mitigate?: Mitigation, id = "rule_1"): Rule {
  return { id, name: id, active: true, conditionGroup: [{ conditions }], action: mitigate ? { mitigate } : {} };
}

/** An example of requests that the condition matches, and of requests that it does not match. */
export function reads(
  name: string,
  condition: Condition,
  fit: RequestAttributes[],
  unfit: RequestAttributes[] = [],
): PageExample {
  return {
    name,
    configuration: { ...OFF, rules: [rule([condition], { action: "deny" })] },
    requests: [
      ...fit.map((attributes) => [attributes, { action: "deny" }] as const),
      ...unfit.map((attributes) => [attributes, { action: "allow" }] as const),
    ],
  };
}

export const at = (...urls: readonly string[]): RequestAttributes[] => urls.map((url) => ({ url }));
