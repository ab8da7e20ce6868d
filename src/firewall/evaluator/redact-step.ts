// Takes credentials out of the values that a trace shows.
import { REDACTED } from "../../platform/kernel/text/redact.ts";
import type { Redactor } from "../../platform/kernel/text/redact.ts";
import type { ConditionTrace, Step } from "./decision.ts";

function redactCondition(condition: ConditionTrace, redactor: Redactor): ConditionTrace {
  const { type, key = "", actual } = condition;
  // Any cookie may be a session, and what people write into forms is theirs.
  const isPrivate = type === "cookie" || type === "body";
  const redact = (value: string) => (isPrivate ? REDACTED : redactor.value(key, value));
  return { ...condition, actual: actual.map(redact) };
}

/** `redactor` has seen the request's headers and its target. */
export function redactStep({ groups, reason, ...step }: Step, redactor: Redactor): Step {
  return {
    ...step,
    ...(reason !== undefined && { reason: redactor.text(reason) }),
    ...(groups && {
      groups: groups.map(({ matches, conditions }) => ({
        matches,
        conditions: conditions.map((condition) => redactCondition(condition, redactor)),
      })),
    }),
  };
}
