// Decides what happens to a request, as docs/firewall.md specifies. A configuration is compiled once; the only state is in
// the counters.
import { compileEntries } from "./index/address-entries.ts";
import type { AddressEntries } from "./index/address-entries.ts";
import { compileShared, groupsBeforeBody, isMatching, preparationsOf } from "./condition.ts";
import type { CompiledGroup, Preparation } from "./condition.ts";
import type { Configuration } from "./config.ts";
import type { Counters } from "./counters.ts";
import type { Cause, Decision } from "./decision.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import { compileManaged } from "./managed.ts";
import type { CompiledSet } from "./managed.ts";
import { EvaluationState } from "./evaluation-state.ts";
import { RequestView } from "./request/request.ts";
import { compileRule, onlyLogs } from "./rule.ts";
import type { CompiledRule } from "./rule.ts";
import { indexRules, setBits } from "./index/rule-index.ts";
import type { MarkCandidates } from "./index/rule-index.ts";
import type { CompiledProtectionContext } from "./protection-context.ts";

export interface CompiledConfiguration {
  readonly source: Configuration;
  readonly entries: AddressEntries;
  /** The active rules, in order. */
  readonly rules: readonly CompiledRule[];
  readonly sets: readonly CompiledSet[];
  readonly markCandidates: MarkCandidates;
  /** Whether any rule lets requests bypass attack challenge mode: if none does, the mode decides before all rules. */
  readonly hasSystemBypass: boolean;
  /** Positions of the rules by hold key; null: those that hold nobody. */
  readonly rulesByHoldKey: ReadonlyMap<string | null, readonly number[]>;
  /** A bit for each rule that may match the current request. */
  readonly candidates: Uint32Array;
  /** What the first requests would do: who may not let them wait runs these before. */
  readonly preparations: readonly Preparation[];
  /** For `needsBody`. */
  readonly beforeBody: readonly CompiledGroup[];
  /** The same of each rule that does more than to log. */
  readonly decidingByBody: readonly { readonly name: string; readonly before: readonly CompiledGroup[] }[];
}

/** Expects a valid configuration: its expressions are compiled when a request first needs them. */
export function compileConfiguration(configuration: Configuration): CompiledConfiguration {
  const shared = compileShared(configuration.conditions ?? []);
  const active = configuration.rules.filter((rule) => rule.active);
  const rules = active.map((rule) => compileRule(rule, shared));
  const sets = compileManaged(configuration);
  const sharedGroups = [...shared.values()].flat().flatMap(({ groups }) => groups);
  return {
    source: configuration,
    entries: compileEntries(configuration.ips),
    rules,
    sets,
    markCandidates: indexRules(active),
    hasSystemBypass: rules.some(isSystemBypass),
    rulesByHoldKey: Map.groupBy(rules.keys(), (at) => (rules[at] as CompiledRule).holdKey),
    candidates: new Uint32Array(Math.ceil(active.length / 32)),
    beforeBody: groupsBeforeBody(rules.flatMap(({ groups }) => groups)),
    decidingByBody: rules
      .filter((rule) => !onlyLogs(rule))
      .map(({ source, groups }) => ({ name: source.name, before: groupsBeforeBody(groups) })),
    preparations: [
      ...preparationsOf([...sharedGroups, ...rules.flatMap(({ groups }) => groups)]),
      ...sets.flatMap(({ preparations }) => preparations),
    ],
  };
}

export const ATTACK_MODE: Cause = { phase: "attack_mode", id: null, name: null };

/** Calls `shouldStop` with each candidate rule in order, until it returns true. */
function visitCandidates(
  { rules, candidates }: CompiledConfiguration,
  shouldStop: (rule: CompiledRule) => boolean,
): void {
  for (let at = 0; at < candidates.length; at++) {
    let word = candidates[at] as number;
    while (word !== 0) {
      const bit = 31 - Math.clz32(word & -word);
      word &= word - 1;
      if (shouldStop(rules[at * 32 + bit] as CompiledRule)) return;
    }
  }
}

const SYSTEM_ACTIONS: ReadonlySet<string | undefined> = new Set(["deny", "challenge", "redirect", "bypass"]);

function isSystemBypass({ mitigation }: CompiledRule): boolean {
  return mitigation?.action === "bypass" && mitigation.bypassSystem === true;
}

/** The rule that lets a request bypass attack challenge mode. */
export function findSystemBypass(compiled: CompiledConfiguration, request: RequestView): CompiledRule | undefined {
  if (!compiled.source.firewallEnabled || !compiled.hasSystemBypass) return undefined;
  compiled.markCandidates(request, compiled.candidates);
  let first: CompiledRule | undefined;
  visitCandidates(compiled, (rule) => {
    if (!SYSTEM_ACTIONS.has(rule.mitigation?.action) || !isMatching(rule.groups, request)) return false;
    first = rule;
    return true;
  });
  return first && isSystemBypass(first) ? first : undefined;
}

function decideByEntries(
  { entries }: CompiledConfiguration,
  request: RequestView,
  state: EvaluationState,
): Decision | null {
  let decision: Decision | null = null;
  entries.visit(request, ({ source: { action }, cause }) => {
    decision = state.applyAction(action, cause);
    return decision !== null || action === "bypass";
  });
  return decision;
}

function decideByRules(
  compiled: CompiledConfiguration,
  request: RequestView,
  state: EvaluationState,
  counters: Counters,
  now: number,
): Decision | null {
  const { candidates, rulesByHoldKey } = compiled;
  compiled.markCandidates(request, candidates);
  for (const key of counters.holdingRules()) setBits(candidates, rulesByHoldKey.get(key) ?? []);
  let decision: Decision | null = null;
  visitCandidates(compiled, (rule) => {
    decision = state.applyEffect(rule.apply(request, counters, now), rule.cause, rule.mitigation);
    return decision !== null || state.skipsRules;
  });
  return decision;
}

export function managedCause({ id }: CompiledSet, name: string | null): Cause {
  return { phase: "managed", id, name };
}

function decideBySets({ sets }: CompiledConfiguration, request: RequestView, state: EvaluationState): Decision | null {
  for (const set of sets) {
    const match = set.findMatch(request);
    if (!match) continue;
    const decision = state.applyAction(match.action, managedCause(set, match.tag));
    if (decision) return decision;
  }
  return null;
}

/** `now` is in ms since the epoch. Any attributes have a decision, in time linear in their size. */
export function decide(
  compiled: CompiledConfiguration,
  context: CompiledProtectionContext,
  attributes: RequestAttributes,
  counters: Counters,
  now: number,
): Decision {
  const request = new RequestView(attributes);
  const state = new EvaluationState(attributes);
  if (
    context.isAttackMode &&
    !context.findBypass(request) &&
    !findSystemBypass(compiled, request) &&
    !state.skips("challenge")
  ) {
    return state.decide("challenge", ATTACK_MODE);
  }
  if (!compiled.source.firewallEnabled) return state.finish();
  return (
    decideByEntries(compiled, request, state) ??
    (state.skipsRules ? null : decideByRules(compiled, request, state, counters, now)) ??
    (state.skipsManaged ? null : decideBySets(compiled, request, state)) ??
    state.finish()
  );
}
