// Rules, address entries and managed sets that a gate only watches, because REEVE_GATE_DETECT_ONLY names their ids: they log in place of
// what they would do, so that everything after them goes on to apply.
import type { Bundle } from "../firewall/evaluator/bundle.ts";
import type { Configuration, IpEntry, ManagedSwitch, Rule } from "../firewall/evaluator/config.ts";
import type { Cause, DecisionAction } from "../firewall/evaluator/decision.ts";
import { ENFORCED } from "../firewall/evaluator/managed.ts";
import type { GateDecision } from "./decision.ts";

export interface WatchedConfiguration {
  readonly configuration: Configuration;
  /** What each of them would do. */
  readonly watched: ReadonlyMap<string, DecisionAction>;
}

/** Names what would do something: a group of a managed set may do something else than the set. */
function keyOf({ phase, id, name }: Cause): string {
  return phase === "managed" ? `${id} ${name}` : (id ?? "");
}

function watchRule(rule: Rule): readonly [rule: Rule, wouldDo: DecisionAction] | null {
  const { mitigate } = rule.action;
  const { action, rateLimit } = mitigate ?? {};
  if (action === "deny" || action === "challenge" || action === "redirect") {
    return [{ ...rule, action: { mitigate: { action: "log" } } }, action];
  }
  if (action !== "rate_limit" || !rateLimit || rateLimit.action === "log" || rateLimit.action === "bypass") return null;
  const watching = { action, rateLimit: { ...rateLimit, action: "log" } } as const;
  return [{ ...rule, action: { mitigate: watching } }, rateLimit.action || action];
}

function watchEntry(entry: IpEntry): readonly [entry: IpEntry, wouldDo: DecisionAction] | null {
  const { action } = entry;
  return action === "deny" || action === "challenge" ? [{ ...entry, action: "log" }, action] : null;
}

/** With the groups of the set, which may have actions of their own. */
function watchSet(set: ManagedSwitch): ManagedSwitch {
  const groups = Object.entries(set.ruleGroups ?? {}).map(
    ([tag, group]) => [tag, { ...group, action: "log" }] as const,
  );
  return { ...set, action: "log", ruleGroups: Object.fromEntries(groups) };
}

function watchSets(
  { managedRules = {} }: Configuration,
  isWatched: (id: string) => boolean,
  watched: Map<string, DecisionAction>,
): NonNullable<Configuration["managedRules"]> {
  const watching = ENFORCED.flatMap(({ id, defaultAction, tags }) => {
    const set = managedRules[id];
    if (!set?.active || !isWatched(id)) return [];
    for (const tag of tags) {
      const action = set.ruleGroups?.[tag]?.action ?? set.action ?? defaultAction;
      if (action !== "log") watched.set(keyOf({ phase: "managed", id, name: tag }), action);
    }
    return [[id, watchSet(set)] as const];
  });
  return { ...managedRules, ...Object.fromEntries(watching) };
}

export function watchRules(configuration: Configuration, isWatched: (id: string) => boolean): WatchedConfiguration {
  const watched = new Map<string, DecisionAction>();
  function each<T extends { readonly id: string }>(
    all: readonly T[],
    watch: (one: T) => readonly [T, DecisionAction] | null,
  ) {
    return all.map((one) => {
      const watching = isWatched(one.id) ? watch(one) : null;
      if (!watching) return one;
      watched.set(one.id, watching[1]);
      return watching[0];
    });
  }
  const { rules, ips } = configuration;
  const managedRules = watchSets(configuration, isWatched, watched);
  return {
    configuration: { ...configuration, rules: each(rules, watchRule), ips: each(ips, watchEntry), managedRules },
    watched,
  };
}

/** Of names that can only be ids, those of nothing in the bundles. */
export function findUnknownIds(names: readonly string[], bundles: readonly Bundle[]): readonly string[] {
  const known = new Set(
    bundles.flatMap(({ configuration }) =>
      [...(configuration?.rules ?? []), ...(configuration?.ips ?? [])].map(({ id }) => id.toLowerCase()),
    ),
  );
  for (const { id } of ENFORCED) known.add(id);
  return names.filter((name) => !known.has(name));
}

/** Says what the first of them would have done about a request that nothing else decided. */
export function annotateWatched(decision: GateDecision, watched: WatchedConfiguration["watched"]): GateDecision {
  const { action, by, logged, reason } = decision;
  if (watched.size === 0 || action !== "allow" || by !== null) return decision;
  const at = logged.findIndex((cause) => watched.has(keyOf(cause)));
  const first = logged[at];
  const wouldBe = first && watched.get(keyOf(first));
  if (!wouldBe) return decision;
  return { ...decision, by: first, wouldBe, reason: reason ?? "detect_only", logged: logged.toSpliced(at, 1) };
}
