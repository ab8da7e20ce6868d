// Explains a decision step by step, with the values that every condition compared, and shows what would have followed.
import type { CompiledEntry } from "./index/address-entries.ts";
import type { CompiledGroup } from "./condition.ts";
import type { Rule } from "./config.ts";
import { readOnly } from "./counters.ts";
import type { LocalCounters } from "./counters.ts";
import type { ConditionTrace, Decision, Explanation, Step } from "./decision.ts";
import { ATTACK_MODE, findSystemBypass, managedCause } from "./evaluator.ts";
import type { CompiledConfiguration } from "./evaluator.ts";
import type { BypassEntry, BypassRule } from "./protection-context.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import type { ManagedMatch } from "./managed.ts";
import { EvaluationState } from "./evaluation-state.ts";
import { RequestView } from "./request/request.ts";
import type { CompiledRule, Effect } from "./rule.ts";
import type { CompiledProtectionContext } from "./protection-context.ts";
import { countStep } from "./time-limit.ts";

/** A request determines how long these are, so a trace shows their beginning. */
const MAX_ACTUAL_VALUES = 10;
const MAX_ACTUAL_LENGTH = 200;

function shorten(text: string): string {
  return text.length <= MAX_ACTUAL_LENGTH ? text : `${text.slice(0, MAX_ACTUAL_LENGTH)}…`;
}

function shortList(texts: readonly string[]): readonly string[] {
  return texts.slice(0, MAX_ACTUAL_VALUES).map(shorten);
}

const PASSED = "the client has passed a challenge";

/** The reason why a step that matches decides nothing. */
function passReason(state: EvaluationState, action: string | null): { readonly reason?: string } {
  return action !== null && state.skips(action) ? { reason: PASSED } : {};
}

function traceGroup(group: CompiledGroup, request: RequestView): NonNullable<Step["groups"]>[number] {
  const inOrder = group.toSorted((a, b) => a.at - b.at);
  const conditions = inOrder.map(({ source, matches, actual }): ConditionTrace => {
    const { type, op, neg, key, value } = source;
    countStep();
    return {
      type,
      op,
      neg: neg === true,
      ...(key !== undefined && { key }),
      actual: shortList(actual(request)),
      ...(value !== undefined && { expected: value }),
      holds: matches(request),
    };
  });
  return { matches: conditions.length > 0 && conditions.every(({ holds }) => holds), conditions };
}

function nominalAction({ action: { mitigate } }: Rule): string {
  return mitigate?.action ?? "log";
}

/** Collects the steps. The first decision counts, and the steps after it are marked. */
class Trace {
  readonly steps: Step[] = [];
  decision: Decision | null = null;

  add(step: Step, decision: Decision | null = null): void {
    this.steps.push(this.decision ? { ...step, isAfterDecision: true } : step);
    this.decision ??= decision;
  }
}

function skipReason(state: EvaluationState): string {
  const by = state.bypassedBy;
  return by?.phase === "ip" ? `bypassed by the address entry ${by.id}` : `bypassed by the rule ${by?.name ?? by?.id}`;
}

function effectStep({ source, cause, groups, mitigation }: CompiledRule, effect: Effect, request: RequestView): Step {
  const { outcome, action, count } = effect;
  const limit = mitigation?.rateLimit?.limit;
  return {
    ...cause,
    outcome,
    action: action ?? nominalAction(source),
    ...(outcome === "held" && { reason: "an earlier decision of the rule still holds the client" }),
    groups: groups.map((group) => traceGroup(group, request)),
    ...(count !== undefined && limit !== undefined && { count, limit }),
  };
}

function bypassReason(bypass: BypassEntry | BypassRule): string {
  const where = bypass.domain ?? "the whole project";
  if ("conditionGroup" in bypass) return `the bypass rule of ${where} matches`;
  return `the bypass list has ${where} for ${bypass.ip ?? "all sources"}`;
}

function traceAttackMode(
  compiled: CompiledConfiguration,
  context: CompiledProtectionContext,
  request: RequestView,
  state: EvaluationState,
  trace: Trace,
): void {
  if (!context.isAttackMode) return;
  const step = { ...ATTACK_MODE, action: "challenge" };
  const bypass = context.findBypass(request);
  const rule = bypass ? undefined : findSystemBypass(compiled, request);
  if (bypass) {
    trace.add({ ...step, outcome: "skipped", reason: bypassReason(bypass) });
  } else if (rule) {
    trace.add({ ...step, outcome: "skipped", reason: `the rule ${rule.source.name} bypasses it` });
  } else if (state.skips("challenge")) {
    trace.add({ ...step, outcome: "skipped", reason: PASSED });
  } else {
    trace.add({ ...step, outcome: "matched" }, state.decide("challenge", ATTACK_MODE));
  }
}

function traceEntries(
  { entries }: CompiledConfiguration,
  request: RequestView,
  state: EvaluationState,
  trace: Trace,
): void {
  const matching: CompiledEntry[] = [];
  entries.visit(request, (entry) => {
    matching.push(entry);
    return false;
  });
  for (const { source, cause } of matching) {
    const step = { ...cause, action: source.action };
    const reason = `${source.ip} on ${source.hostname}`;
    if (state.skipsRules) {
      trace.add({ ...step, outcome: "skipped", reason: skipReason(state) });
    } else {
      trace.add(
        { ...step, outcome: "matched", reason, ...passReason(state, source.action) },
        state.applyAction(source.action, cause),
      );
    }
  }
}

function traceRules(
  { source, rules }: CompiledConfiguration,
  request: RequestView,
  state: EvaluationState,
  trace: Trace,
  counters: LocalCounters,
  now: number,
): void {
  const readOnlyCounters = readOnly(counters);
  let at = 0;
  for (const rule of source.rules) {
    const step = { phase: "rule", id: rule.id, name: rule.name, action: nominalAction(rule) } as const;
    if (!rule.active) {
      trace.add({ ...step, outcome: "inactive" });
      continue;
    }
    const compiled = rules[at++] as CompiledRule;
    if (state.skipsRules) {
      trace.add({ ...step, outcome: "skipped", reason: skipReason(state) });
      continue;
    }
    const effect = compiled.apply(request, trace.decision ? readOnlyCounters : counters, now);
    const traced = { ...effectStep(compiled, effect, request), ...passReason(state, effect.action) };
    trace.add(traced, state.applyEffect(effect, compiled.cause, compiled.mitigation));
  }
}

/** Shows the match of a managed set as a condition. */
function matchGroups({ pattern, userAgent }: ManagedMatch): NonNullable<Step["groups"]> {
  const actual = shortList([userAgent]);
  const condition = { type: "user_agent", op: "re", neg: false, expected: pattern, actual, holds: true };
  return [{ matches: true, conditions: [condition] }];
}

function traceSets({ sets }: CompiledConfiguration, request: RequestView, state: EvaluationState, trace: Trace): void {
  for (const set of sets) {
    const step = { ...managedCause(set, null), action: set.action };
    if (state.skipsManaged) {
      trace.add({ ...step, outcome: "skipped", reason: skipReason(state) });
      continue;
    }
    const match = set.findMatch(request);
    if (!match) {
      trace.add({ ...step, outcome: "not_matched" });
      continue;
    }
    const { action, tag, description: reason } = match;
    const cause = managedCause(set, tag);
    const groups = matchGroups(match);
    trace.add(
      {
        ...cause,
        action,
        outcome: "matched",
        ...(reason !== undefined && { reason }),
        groups,
        ...passReason(state, action),
      },
      state.applyAction(action, cause),
    );
  }
}

/**
 * Decides and counts like `decide`. Steps after the decision read the counters without changing them. Every rule has a step,
 * an address entry when it matches, and a managed set when it is active.
 */
export function explain(
  compiled: CompiledConfiguration,
  context: CompiledProtectionContext,
  attributes: RequestAttributes,
  counters: LocalCounters,
  now: number,
): Explanation {
  const request = new RequestView(attributes);
  const state = new EvaluationState(attributes);
  const trace = new Trace();
  traceAttackMode(compiled, context, request, state, trace);
  if (compiled.source.firewallEnabled) {
    traceEntries(compiled, request, state, trace);
    traceRules(compiled, request, state, trace, counters, now);
    traceSets(compiled, request, state, trace);
  }
  return { decision: trace.decision ?? state.finish(), steps: trace.steps };
}
