// What the engine did about a request, as a decision that is found by its id: the page of a denied request shows it.
import type { ActiveConfiguration } from "../../firewall/evaluator/bundle.ts";
import type { Cause, Step } from "../../firewall/evaluator/decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest } from "../message.ts";
import { elementAt, readScheme } from "../requests/forwarded-values.ts";
import { ruleId, worstRule } from "./audit-entry.ts";
import type { AuditEntry, MatchedRule } from "./audit-entry.ts";
import { actionOf } from "./categories.ts";

/** As nginx makes ids of requests. An engine that was not told to use them has others, which no page shows. */
const REQUEST_ID = /^[0-9a-f]{32}$/;

/** nginx takes methods of any length. */
const MAX_METHOD_LENGTH = 32;

/** Null: none is active. */
type Active = ActiveConfiguration | null;

export interface EngineDecision {
  readonly request: GateRequest;
  readonly decision: GateDecision;
  readonly steps: readonly Step[];
}

function causeOf(rule: MatchedRule): Cause {
  return { phase: "managed", id: ruleId(rule), name: rule.message || null };
}

function stepOf(rule: MatchedRule, configuration: Active): Step {
  return {
    ...causeOf(rule),
    outcome: "matched",
    action: actionOf(configuration, rule.category) ?? "log",
    ...(rule.variable !== null && { reason: `in ${rule.variable}` }),
  };
}

/** Null: its id is of no request that a page shows. */
export function engineDecision(entry: AuditEntry, configuration: Active): EngineDecision | null {
  const { id, isDenied, rules, headers, method, target, host, ip } = entry;
  if (!REQUEST_ID.test(id)) return null;
  const worst = worstRule(entry, configuration);
  const cause = worst && causeOf(worst);
  return {
    request: {
      method: method.slice(0, MAX_METHOD_LENGTH),
      scheme: readScheme(elementAt(headers["x-forwarded-proto"] ?? "", 0)) ?? "http",
      host,
      target,
      headers,
      ip,
    },
    decision: {
      id,
      action: isDenied ? "deny" : "allow",
      status: isDenied ? 403 : null,
      by: isDenied ? cause : null,
      version: configuration?.version ?? null,
      reason: null,
      wouldBe: null,
      location: null,
      retryAfter: null,
      logged: !isDenied && cause ? [cause] : [],
    },
    // The rule that it is counted under is the one that decided.
    steps: rules.map((rule) => stepOf(rule, configuration)),
  };
}
