// The way to a decision, step by step, with what every condition read, and on to what would have followed.
import type { CompiledEntry } from "./index/address-entries.ts";
import type { CompiledGroup } from "./condition.ts";
import type { Rule } from "./config.ts";
import { peekAt } from "./counters.ts";
import type { Counters } from "./counters.ts";
import type { ConditionTrace, Decision, Explanation, Step } from "./decision.ts";
import { ATTACK_MODE, findSystemBypass, managedCause } from "./evaluator.ts";
import type { CompiledConfiguration } from "./evaluator.ts";
import type { Bypass, BypassRule, RequestAttributes } from "./request/attributes.ts";
import type { Firing } from "./managed.ts";
import { EvaluationState } from "./evaluation-state.ts";
import { RequestView } from "./request/request.ts";
import type { CompiledRule, Effect } from "./rule.ts";
import type { CompiledProtectionContext } from "./protection-context.ts";

/** A request chooses what is read: a trace shows the beginning. */
const MAX_ACTUAL_VALUES = 10;
const MAX_ACTUAL_LENGTH = 200;

function shorten(text: string): string {
  return text.length <= MAX_ACTUAL_LENGTH ? text : `${text.slice(0, MAX_ACTUAL_LENGTH)}…`;
}

function shortList(texts: readonly string[]): readonly string[] {
  return texts.slice(0, MAX_ACTUAL_VALUES).map(shorten);
}

function traceGroup(group: CompiledGroup, request: RequestView): NonNullable<Step["groups"]>[number] {
  const conditions = group.map(({ source, holds, actual }): ConditionTrace => {
    const { type, op, neg, key, value } = source;
    return {
      type,
      op,
      neg: neg === true,
      ...(key !== undefined && { key }),
      actual: shortList(actual(request)),
      ...(value !== undefined && { expected: value }),
      holds: holds(request),
    };
  });
  return { matches: conditions.length > 0 && conditions.every(({ holds }) => holds), conditions };
}

function nominalAction({ action: { mitigate } }: Rule): string {
  return mitigate?.action ?? "log";
}

/** Collects the steps; the first decision counts, and steps behind it say so. */
class Trace {
  readonly steps: Step[] = [];
  decision: Decision | null = null;

  add(step: Step, decision: Decision | null = null): void {
    this.steps.push(this.decision ? { ...step, isAfterDecision: true } : step);
    this.decision ??= decision;
  }
}

function skippedBecause(passage: EvaluationState): string {
  const by = passage.bypassedBy;
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

function exceptedBecause(bypass: Bypass | BypassRule): string {
  const where = bypass.domain ?? "the whole project";
  if ("conditionGroup" in bypass) return `the bypass rule of ${where} matches`;
  return `the bypass list has ${where} for ${bypass.ip ?? "all sources"}`;
}

function traceAttackMode(
  compiled: CompiledConfiguration,
  surroundings: CompiledProtectionContext,
  request: RequestView,
  passage: EvaluationState,
  trace: Trace,
): void {
  if (!surroundings.isAttackMode) return;
  const step = { ...ATTACK_MODE, action: "challenge" };
  const bypass = surroundings.findBypass(request);
  const rule = bypass ? undefined : findSystemBypass(compiled, request);
  if (bypass) {
    trace.add({ ...step, outcome: "skipped", reason: exceptedBecause(bypass) });
  } else if (rule) {
    trace.add({ ...step, outcome: "skipped", reason: `the rule ${rule.source.name} bypasses it` });
  } else {
    trace.add({ ...step, outcome: "matched" }, passage.decide("challenge", ATTACK_MODE));
  }
}

function traceEntries(
  { entries }: CompiledConfiguration,
  request: RequestView,
  passage: EvaluationState,
  trace: Trace,
): void {
  const fitting: CompiledEntry[] = [];
  entries.visit(request, (entry) => {
    fitting.push(entry);
    return false;
  });
  for (const { source, cause } of fitting) {
    const step = { ...cause, action: source.action };
    const reason = `${source.ip} on ${source.hostname}`;
    if (passage.skipsRules) {
      trace.add({ ...step, outcome: "skipped", reason: skippedBecause(passage) });
    } else {
      trace.add({ ...step, outcome: "matched", reason }, passage.take(source.action, cause));
    }
  }
}

function traceRules(
  { source, rules }: CompiledConfiguration,
  request: RequestView,
  passage: EvaluationState,
  trace: Trace,
  counters: Counters,
  now: number,
): void {
  const peeking = peekAt(counters);
  let at = 0;
  for (const rule of source.rules) {
    const step = { phase: "rule", id: rule.id, name: rule.name, action: nominalAction(rule) } as const;
    if (!rule.active) {
      trace.add({ ...step, outcome: "inactive" });
      continue;
    }
    const compiled = rules[at++] as CompiledRule;
    if (passage.skipsRules) {
      trace.add({ ...step, outcome: "skipped", reason: skippedBecause(passage) });
      continue;
    }
    const effect = compiled.meet(request, trace.decision ? peeking : counters, now);
    trace.add(effectStep(compiled, effect, request), passage.takeEffect(effect, compiled.cause, compiled.mitigation));
  }
}

/** What fired as a condition says it. */
function firingGroups({ pattern, userAgent }: Firing): NonNullable<Step["groups"]> {
  const actual = shortList([userAgent]);
  const condition = { type: "user_agent", op: "re", neg: false, expected: pattern, actual, holds: true };
  return [{ matches: true, conditions: [condition] }];
}

function traceSets(
  { sets }: CompiledConfiguration,
  request: RequestView,
  passage: EvaluationState,
  trace: Trace,
): void {
  for (const set of sets) {
    const step = { ...managedCause(set, null), action: set.action };
    if (passage.skipsManaged) {
      trace.add({ ...step, outcome: "skipped", reason: skippedBecause(passage) });
      continue;
    }
    const firing = set.findFiring(request);
    if (!firing) {
      trace.add({ ...step, outcome: "not_matched" });
      continue;
    }
    const { action, tag, description: reason } = firing;
    const cause = managedCause(set, tag);
    const groups = firingGroups(firing);
    trace.add(
      { ...cause, action, outcome: "matched", ...(reason !== undefined && { reason }), groups },
      passage.take(action, cause),
    );
  }
}

/**
 * Decides as `decide` does and counts the same; steps behind the one that decided only look at the counters. Address
 * entries have a step when they fit, rules always, managed sets when they are switched on.
 */
export function explain(
  compiled: CompiledConfiguration,
  surroundings: CompiledProtectionContext,
  facts: RequestAttributes,
  counters: Counters,
  now: number,
): Explanation {
  const request = new RequestView(facts);
  const passage = new EvaluationState();
  const trace = new Trace();
  traceAttackMode(compiled, surroundings, request, passage, trace);
  if (compiled.source.firewallEnabled) {
    traceEntries(compiled, request, passage, trace);
    traceRules(compiled, request, passage, trace, counters, now);
    traceSets(compiled, request, passage, trace);
  }
  return { decision: trace.decision ?? passage.end(), steps: trace.steps };
}
