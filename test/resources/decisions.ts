// A decision as a gate reports it.
import { uniqueName } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";

export const RULE = { phase: "rule", id: "rule_1", name: "No admin" };

/** Letters and digits, as the gate's ids. */
export function newDecisionId(): string {
  return uniqueName("Decision").replaceAll(/[^A-Za-z0-9]/g, "");
}

export function newDecision(at: number, more: object = {}): Body {
  return {
    id: newDecisionId(),
    at,
    action: "deny",
    status: 403,
    wouldBe: null,
    reason: null,
    version: 3,
    by: RULE,
    method: "GET",
    scheme: "https",
    host: "shop.test",
    target: "/admin?page=2",
    ip: "203.0.113.7",
    userAgent: "curl/8.5.0",
    headers: [{ name: "accept", value: "*/*" }],
    logged: [],
    steps: [
      {
        ...RULE,
        outcome: "matched",
        action: "deny",
        groups: [
          {
            matches: true,
            conditions: [{ type: "path", op: "pre", neg: false, actual: ["/admin"], expected: "/admin", holds: true }],
          },
        ],
      },
    ],
    omittedSteps: 2,
    ...more,
  };
}
