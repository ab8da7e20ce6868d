// Shortens traces: a configuration and a request determine how long they are.
import type { ConditionTrace, Step } from "./decision.ts";

const SHOWN_VALUES = 5;
const SHOWN_LENGTH = 100;

function shorten<T>(value: T): T | string {
  return typeof value === "string" && value.length > SHOWN_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}...` : value;
}

function shortList<T>(values: readonly T[]): readonly (T | string)[] {
  return values.slice(0, SHOWN_VALUES).map(shorten);
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

/** A step with the beginning of long texts and lists. */
export function shortStep(step: Step): Step {
  if (!step.groups) return step;
  return {
    ...step,
    groups: step.groups.map(({ matches, conditions }) => ({ matches, conditions: conditions.map(shortCondition) })),
  };
}

/** The most of one step, so that a large rule leaves space for others. */
const MAX_STEP_SHARE = 0.5;
const FEW_CONDITIONS = 10;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A step in at most so many bytes as JSON: with the groups that matched alone, then with few conditions, then with none. */
function fitStep(step: Step, most: number): Step {
  const { groups, ...bare } = step;
  if (!groups || bytesOf(step) <= most) return step;
  const matching = groups.filter(({ matches }) => matches);
  const few = matching.slice(0, 1).map(({ matches, conditions }) => ({
    matches,
    conditions: conditions.slice(0, FEW_CONDITIONS),
  }));
  const smaller = [matching, few].find((kept) => bytesOf({ ...bare, groups: kept }) <= most);
  return smaller && smaller.length > 0 ? { ...bare, groups: smaller } : bare;
}

/** What explains a decision first: what matched, then what did not, then what would have followed. */
function rankOf({ outcome, isAfterDecision }: Step): number {
  if (isAfterDecision) return 2;
  return outcome === "matched" || outcome === "held" || outcome === "under_limit" ? 0 : 1;
}

export interface FittedSteps {
  readonly steps: readonly Step[];
  /** How many were left out. */
  readonly omitted: number;
}

/** The steps that explain most, in their order, in at most so many bytes as JSON. `redact` is called for those alone. */
export function fitSteps(steps: readonly Step[], most: number, redact: (step: Step) => Step): FittedSteps {
  const ranked = steps
    .map((step, at) => ({ step, at }))
    .toSorted((a, b) => rankOf(a.step) - rankOf(b.step) || a.at - b.at);
  const kept: typeof ranked = [];
  let bytes = 2;
  for (const { step, at } of ranked) {
    const fitted = fitStep(shortStep(redact(step)), most * MAX_STEP_SHARE);
    bytes += bytesOf(fitted) + 1;
    if (bytes > most) break;
    kept.push({ step: fitted, at });
  }
  return { steps: kept.toSorted((a, b) => a.at - b.at).map(({ step }) => step), omitted: steps.length - kept.length };
}
