// The plan of an evaluation as plain data, and its execution, which may take seconds and needs no database.
import { isDeepStrictEqual } from "node:util";
import { DECISIONS } from "../evaluator/decision.ts";
import type { ProtectionContext } from "../evaluator/protection-context.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { applyChange } from "../configurations/change-rules.ts";
import type { Change } from "../configurations/change-rules.ts";
import type { Content, Stamp } from "../configurations/content-rules.ts";
import { MAX_TRACE_ITEMS } from "./contract.ts";
import { prepareEvaluation } from "./evaluate.ts";
import type { Outcome, EvaluationRequest } from "./evaluate.ts";
import { contentOfNamed } from "../configurations/named.ts";
import type { NamedSource } from "../configurations/named.ts";

export interface EvaluationPlan {
  /** The account that answers for the request: callers take turns. */
  readonly caller: string;
  readonly requests: readonly EvaluationRequest[];
  readonly trace: boolean;
  readonly config: NamedSource;
  /** Made to the configuration, but not stored. */
  readonly change: Change | null;
  readonly other: NamedSource | null;
  readonly context: ProtectionContext;
}

/** Nobody sees who made a change that is not stored. */
const NOBODY: Stamp = { updatedAt: new Date(0).toISOString(), username: "Reeve" };

/** The most steps and conditions that a trace of this content can have. */
function countTraceItems({ rules, ips, managedRules = {} }: Content): number {
  const sets = Object.values(managedRules).filter(({ active }) => active);
  let items = rules.length + ips.length + sets.length;
  for (const { conditionGroup } of rules) for (const { conditions } of conditionGroup) items += conditions.length;
  return items;
}

/** Rejects traces of several requests that would make the response too large. A single trace is always shown. */
function requireBoundedTrace(requests: readonly EvaluationRequest[], content: Content): void {
  const items = countTraceItems(content);
  const most = Math.max(1, Math.floor(MAX_TRACE_ITEMS / Math.max(1, items)));
  if (requests.length <= most) return;
  const each = `${items} steps and conditions each`;
  throw new ApiError(
    "bad_request",
    `requests: expected at most ${most} with a trace of ${each}, got ${requests.length}`,
    { field: "body.requests" },
  );
}

function summarise(outcomes: readonly Outcome[]): Record<string, number> {
  const summary: Record<string, number> = Object.fromEntries(DECISIONS.map((action) => [action, 0]));
  for (const { decision } of outcomes) summary[decision.action] = (summary[decision.action] as number) + 1;
  return summary;
}

function differencesOf(before: readonly Outcome[], after: readonly Outcome[]) {
  return after.flatMap(({ decision }, index) => {
    const { decision: other } = before[index] as Outcome;
    return isDeepStrictEqual(other, decision) ? [] : [{ index, before: other, after: decision }];
  });
}

/** Runs a plan. Returns the response. */
export function runEvaluation({ config, change, other, requests, trace, context }: EvaluationPlan) {
  const stored = contentOfNamed(config);
  const content = change ? applyChange(stored, change, NOBODY) : stored;
  if (trace) requireBoundedTrace(requests, content);
  const results = prepareEvaluation(content, context)(requests);
  const untraced = requests.map((request) => ({ ...request, trace: false }));
  const before = other && prepareEvaluation(contentOfNamed(other), context)(untraced);
  return {
    version: config.version,
    results,
    ...(other && before && { comparedWith: other.version, differences: differencesOf(before, results) }),
    summary: summarise(results),
  };
}
