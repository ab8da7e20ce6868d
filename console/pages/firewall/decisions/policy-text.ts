// Says in words which policy of a gate decided, and which setting changes that.
import { POLICY_TEXTS } from "../../../../src/platform/outcomes/decision-text.ts";

/** A newer gate may have a policy that this console does not know. */
export function policyText(reason: string): string {
  return (Object.hasOwn(POLICY_TEXTS, reason) && POLICY_TEXTS[reason]) || `The policy ${reason} of the gate decided.`;
}
