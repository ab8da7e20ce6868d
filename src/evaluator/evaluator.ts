// Decides what happens to a request: docs/firewall.md, compiled once per configuration. Pure but for the counters.
import { compileEntries } from "./index/address-entries.ts";
import type { AddressEntries } from "./index/address-entries.ts";
import { compileShared, isMatching } from "./condition.ts";
import type { Configuration } from "./config.ts";
import type { Counters } from "./counters.ts";
import type { Cause, Decision } from "./decision.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import { compileManaged } from "./managed.ts";
import type { CompiledSet } from "./managed.ts";
import { EvaluationState } from "./evaluation-state.ts";
import { RequestView } from "./request/request.ts";
import { compileRule } from "./rule.ts";
import type { CompiledRule } from "./rule.ts";
import { indexRules, setBits } from "./index/rule-index.ts";
import type { MarkCandidates } from "./index/rule-index.ts";
import type { CompiledProtectionContext } from "./protection-context.ts";

export interface CompiledConfiguration {
  readonly source: Configuration;
  readonly entries: AddressEntries;
  /** Active ones, in their order. */
  readonly rules: readonly CompiledRule[];
  readonly sets: readonly CompiledSet[];
  readonly markCandidates: MarkCandidates;
  /** Where a rule that holds clients stands, by the key of its holds. */
  readonly holding: ReadonlyMap<string, readonly number[]>;
  /** Candidates of the request at hand. */
  readonly bits: Uint32Array;
}

/** For a configuration that has been checked: expressions are compiled when a request first needs them. */
export function compileConfiguration(configuration: Configuration): CompiledConfiguration {
  const shared = compileShared(configuration.conditions ?? []);
  const active = configuration.rules.filter((rule) => rule.active);
  const rules = active.map((rule) => compileRule(rule, shared));
  const holding = new Map<string, number[]>();
  for (const [at, { holdKey }] of rules.entries()) {
    if (holdKey !== null) holding.set(holdKey, [...(holding.get(holdKey) ?? []), at]);
  }
  return {
    source: configuration,
    entries: compileEntries(configuration.ips),
    rules,
    sets: compileManaged(configuration),
    markCandidates: indexRules(active),
    holding,
    bits: new Uint32Array(Math.ceil(active.length / 32)),
  };
}

export const ATTACK_MODE: Cause = { phase: "attack_mode", id: null, name: null };

/** Calls for each marked rule in order, until a call answers true. */
function visitMarked({ rules, bits }: CompiledConfiguration, isEnough: (rule: CompiledRule) => boolean): void {
  for (let at = 0; at < bits.length; at++) {
    let word = bits[at] as number;
    while (word !== 0) {
      const bit = 31 - Math.clz32(word & -word);
      word &= word - 1;
      if (isEnough(rules[at * 32 + bit] as CompiledRule)) return;
    }
  }
}

const SYSTEM_ACTIONS: ReadonlySet<string | undefined> = new Set(["deny", "challenge", "redirect", "bypass"]);

/** The rule that excepts a request from attack challenge mode. */
export function findSystemBypass(compiled: CompiledConfiguration, request: RequestView): CompiledRule | undefined {
  if (!compiled.source.firewallEnabled) return undefined;
  compiled.markCandidates(request, compiled.bits);
  let first: CompiledRule | undefined;
  visitMarked(compiled, (rule) => {
    if (!SYSTEM_ACTIONS.has(rule.mitigation?.action) || !isMatching(rule.groups, request)) return false;
    first = rule;
    return true;
  });
  return first?.mitigation?.action === "bypass" && first.mitigation.bypassSystem === true ? first : undefined;
}

function decideByEntries(
  { entries }: CompiledConfiguration,
  request: RequestView,
  passage: EvaluationState,
): Decision | null {
  let decision: Decision | null = null;
  entries.visit(request, ({ source: { action }, cause }) => {
    decision = passage.take(action, cause);
    return decision !== null || action === "bypass";
  });
  return decision;
}

function decideByRules(
  compiled: CompiledConfiguration,
  request: RequestView,
  passage: EvaluationState,
  counters: Counters,
  now: number,
): Decision | null {
  const { bits, holding } = compiled;
  compiled.markCandidates(request, bits);
  if (holding.size > 0) {
    for (const key of counters.holdingRules()) setBits(bits, holding.get(key) ?? []);
  }
  let decision: Decision | null = null;
  visitMarked(compiled, (rule) => {
    decision = passage.takeEffect(rule.meet(request, counters, now), rule.cause, rule.mitigation);
    return decision !== null || passage.skipsRules;
  });
  return decision;
}

export function managedCause({ id }: CompiledSet, name: string | null): Cause {
  return { phase: "managed", id, name };
}

function decideBySets(
  { sets }: CompiledConfiguration,
  request: RequestView,
  passage: EvaluationState,
): Decision | null {
  for (const set of sets) {
    const firing = set.findFiring(request);
    if (!firing) continue;
    const decision = passage.take(firing.action, managedCause(set, firing.tag));
    if (decision) return decision;
  }
  return null;
}

/** `now` in ms since the epoch. Any facts have a decision, in time linear in their size. */
export function decide(
  compiled: CompiledConfiguration,
  surroundings: CompiledProtectionContext,
  facts: RequestAttributes,
  counters: Counters,
  now: number,
): Decision {
  const request = new RequestView(facts);
  const passage = new EvaluationState();
  if (surroundings.isAttackMode && !surroundings.findBypass(request) && !findSystemBypass(compiled, request)) {
    return passage.decide("challenge", ATTACK_MODE);
  }
  if (!compiled.source.firewallEnabled) return passage.end();
  return (
    decideByEntries(compiled, request, passage) ??
    (passage.skipsRules ? null : decideByRules(compiled, request, passage, counters, now)) ??
    (passage.skipsManaged ? null : decideBySets(compiled, request, passage)) ??
    passage.end()
  );
}
