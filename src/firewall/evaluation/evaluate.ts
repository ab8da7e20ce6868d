// Evaluates requests against a configuration in order, with counters of their own.
import type { Configuration } from "../evaluator/config.ts";
import { createCounters } from "../evaluator/counters.ts";
import type { Decision, Step } from "../evaluator/decision.ts";
import { compileConfiguration, decide } from "../evaluator/evaluator.ts";
import { explain } from "../evaluator/explain.ts";
import type { ProtectionContext } from "../evaluator/protection-context.ts";
import type { RequestAttributes } from "../evaluator/request/attributes.ts";
import { shortStep } from "../evaluator/short-steps.ts";
import { compileProtectionContext } from "../evaluator/protection-context.ts";

const SHOWN_LOGGED = 50;

export interface EvaluationRequest {
  readonly attributes: RequestAttributes;
  /** ms; not before the time of the previous request. */
  readonly at: number;
  /** Whether the result shows the steps. */
  readonly trace: boolean;
}

export interface Outcome {
  readonly decision: Decision;
  readonly steps?: readonly Step[];
}

function shortDecision(decision: Decision): Decision {
  return decision.logged.length > SHOWN_LOGGED
    ? { ...decision, logged: decision.logged.slice(0, SHOWN_LOGGED) }
    : decision;
}

/** Evaluates requests with counters that start empty. This may take seconds and blocks the thread. */
export type Evaluate = (requests: Iterable<EvaluationRequest>) => readonly Outcome[];

export function prepareEvaluation(configuration: Configuration, protectionContext: ProtectionContext): Evaluate {
  const compiled = compileConfiguration(configuration);
  const context = compileProtectionContext(protectionContext);
  return (requests) => {
    const counters = createCounters();
    const outcomes: Outcome[] = [];
    for (const { attributes, at, trace } of requests) {
      if (trace) {
        const { decision, steps } = explain(compiled, context, attributes, counters, at);
        outcomes.push({ decision: shortDecision(decision), steps: steps.map(shortStep) });
      } else {
        outcomes.push({ decision: shortDecision(decide(compiled, context, attributes, counters, at)) });
      }
    }
    return outcomes;
  };
}
