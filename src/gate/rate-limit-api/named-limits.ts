// The rules of a configuration that an application asks about by id: those with a condition of type `rate_limit_api_id`.
import type { Condition, ConditionGroup, Configuration, Rule } from "../../firewall/evaluator/config.ts";
import type { Counters } from "../../firewall/evaluator/counters.ts";
import type { Decision } from "../../firewall/evaluator/decision.ts";
import { compileConfiguration, decide } from "../../firewall/evaluator/evaluator.ts";
import { compileProtectionContext } from "../../firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../firewall/evaluator/request/attributes.ts";
import { withTimeLimit } from "../../firewall/evaluator/time-limit.ts";
import { expectedTexts, isEquality, isNegated } from "../../firewall/evaluator/request/operand.ts";

/** What the client counts, as it names it. */
export const KEY_HEADER = "x-vercel-rate-limit-key";

export interface NamedLimits {
  /** Whether an active rule names the id. */
  has(id: string): boolean;
  /** Counts a request with the attribute `rateLimitApiId`. */
  decide(attributes: RequestAttributes, counters: Counters, now: number): Decision;
}

/** The application has let the request in already, so that attack challenge mode does not come into it. */
const NO_CONTEXT = compileProtectionContext({ isAttackMode: false, bypasses: [] });

function conditionsOf(groups: readonly ConditionGroup[]): readonly Condition[] {
  return groups.flatMap(({ conditions }) => conditions);
}

const readsId = ({ type }: Condition) => type === "rate_limit_api_id";

/** The ids that conditions name, in lower case: that is how conditions compare. */
function idsIn(conditions: readonly Condition[]): readonly string[] {
  return conditions
    .filter((condition) => readsId(condition) && isEquality(condition) && !isNegated(condition))
    .flatMap((condition) => expectedTexts(condition).map((id) => id.toLowerCase()));
}

/** Counts by what the application says, in place of the rule's own keys. */
function countedByKey(rule: Rule): Rule {
  const { mitigate } = rule.action;
  if (!mitigate?.rateLimit) return rule;
  const rateLimit = { ...mitigate.rateLimit, keys: [`header:${KEY_HEADER}`] };
  return { ...rule, action: { mitigate: { ...mitigate, rateLimit } } };
}

export function compileNamedLimits(configuration: Configuration): NamedLimits {
  const shared = new Map((configuration.conditions ?? []).map((one) => [one.id, conditionsOf(one.conditionGroup)]));
  const ids = new Set<string>();
  const rules: Rule[] = [];
  for (const rule of configuration.rules.filter(({ active }) => active)) {
    const own = conditionsOf(rule.conditionGroup);
    const all = own.flatMap((condition) =>
      condition.type === "shared_condition"
        ? expectedTexts(condition).flatMap((id) => shared.get(id) ?? [])
        : [condition],
    );
    if (!all.some(readsId)) continue;
    for (const id of idsIn(all)) ids.add(id);
    rules.push(countedByKey(rule));
  }
  const compiled = compileConfiguration({ ...configuration, rules, ips: [], managedRules: {} });
  return {
    has: (id) => ids.has(id.toLowerCase()),
    decide: (attributes, counters, now) => withTimeLimit(() => decide(compiled, NO_CONTEXT, attributes, counters, now)),
  };
}
