// Requests tried on a configuration, one after the other, on counters of their own.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Configuration } from "../../evaluator/config.ts";
import { createCounters } from "../../evaluator/counters.ts";
import type { ConditionTrace, Decision, Step } from "../../evaluator/decision.ts";
import { compileConfiguration, decide } from "../../evaluator/evaluator.ts";
import type { CompiledConfiguration } from "../../evaluator/evaluator.ts";
import { explain } from "../../evaluator/explain.ts";
import type { RequestFacts, Surroundings } from "../../evaluator/facts.ts";
import { compileSurroundings } from "../../evaluator/surroundings.ts";
import { ApiError } from "../../kernel/errors.ts";

/** How long others wait for a turn of the event loop. */
const TURN_MS = 10;
/** Of what is shown, so that no answer grows with what a request repeats. */
const SHOWN_VALUES = 5;
const SHOWN_LENGTH = 100;
const SHOWN_LOGGED = 50;

export interface TriedRequest {
  readonly facts: RequestFacts;
  /** ms; never before the request before it. */
  readonly at: number;
  /** Whether to show the steps. */
  readonly trace: boolean;
}

export interface Outcome {
  readonly decision: Decision;
  readonly steps?: readonly Step[];
}

function shorten<T>(value: T): T | string {
  return typeof value === "string" && value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}...` : value;
}

function shortList<T>(values: readonly T[]): readonly (T | string)[] {
  return values.slice(0, SHOWN_VALUES).map(shorten);
}

function shortDecision(decision: Decision): Decision {
  return decision.logged.length > SHOWN_LOGGED
    ? { ...decision, logged: decision.logged.slice(0, SHOWN_LOGGED) }
    : decision;
}

function shortCondition({ actual, expected, ...rest }: ConditionTrace): ConditionTrace {
  return {
    ...rest,
    actual: shortList(actual),
    ...(expected !== undefined && {
      expected: typeof expected === "object" ? shortList(expected) : shorten(expected),
    }),
  };
}

function shortStep(step: Step): Step {
  if (!step.groups) return step;
  return {
    ...step,
    groups: step.groups.map(({ matches, conditions }) => ({ matches, conditions: conditions.map(shortCondition) })),
  };
}

/** Gives the event loop a turn as soon as the last one is `TURN_MS` old. */
function createPacer(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await nextTurn();
    since = performance.now();
  };
}

/** How many evaluations may wait for the one that runs. */
const MAX_WAITING = 20;
/** Of one owner: nobody keeps the others out. */
const MAX_WAITING_OF_ONE = 4;

let running: Promise<unknown> = Promise.resolve();
let waiting = 0;
const waitingOf = new Map<string, number>();

/** One at a time: were they to take turns with each other, all other calls would wait for as many turns. */
async function inTurn<T>(ownerId: string, work: () => Promise<T>): Promise<T> {
  const own = waitingOf.get(ownerId) ?? 0;
  if (waiting >= MAX_WAITING || own >= MAX_WAITING_OF_ONE) {
    throw new ApiError("too_many_requests", "Too many requests are being tried on firewall configurations; try again");
  }
  waiting++;
  waitingOf.set(ownerId, own + 1);
  const turn = running.then(work);
  running = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    waiting--;
    const left = (waitingOf.get(ownerId) ?? 1) - 1;
    if (left > 0) waitingOf.set(ownerId, left);
    else waitingOf.delete(ownerId);
  }
}

/** Tries requests on counters that begin empty. */
export type Evaluate = (requests: Iterable<TriedRequest>) => Promise<Outcome[]>;

export function prepareEvaluation(ownerId: string, configuration: Configuration, surroundings: Surroundings): Evaluate {
  // Compiled when its turn comes: others that wait, or are sent away, need none of it.
  let compiled: CompiledConfiguration | undefined;
  const around = compileSurroundings(surroundings);
  const pace = createPacer();
  async function evaluate(requests: Iterable<TriedRequest>): Promise<Outcome[]> {
    compiled ??= compileConfiguration(configuration);
    const counters = createCounters();
    const outcomes: Outcome[] = [];
    for (const { facts, at, trace } of requests) {
      await pace();
      if (trace) {
        const { decision, steps } = explain(compiled, around, facts, counters, at);
        outcomes.push({ decision: shortDecision(decision), steps: steps.map(shortStep) });
      } else {
        outcomes.push({ decision: shortDecision(decide(compiled, around, facts, counters, at)) });
      }
    }
    return outcomes;
  }

  return (requests) => inTurn(ownerId, () => evaluate(requests));
}
