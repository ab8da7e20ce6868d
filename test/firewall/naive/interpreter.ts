// Interprets docs/firewall.md with plain loops: no indexes, nothing compiled, and no code shared with the evaluator.
import type { ActionDuration, Configuration, Mitigation, Rule } from "../../../src/firewall/evaluator/config.ts";
import type { Cause, Decision } from "../../../src/firewall/evaluator/decision.ts";
import type { ProtectionContext } from "../../../src/firewall/evaluator/protection-context.ts";
import type { RequestAttributes } from "../../../src/firewall/evaluator/request/attributes.ts";
import { isInNetwork, parseNetwork } from "./address.ts";
import { matchesGroups, type Observe, type Scope } from "./conditions.ts";
import { clientOf, count, type NaiveCounters } from "./counters.ts";
import { findManaged } from "./managed.ts";
import { readRequest, type NaiveRequest } from "./request.ts";

const DURATIONS_MS: Readonly<Record<ActionDuration, number>> = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "30m": 1_800_000,
  "1h": 3_600_000,
};

/** The location with every character percent-encoded that is not printable ASCII. */
function asHeader(location: string): string {
  return Array.from(location, (char) => (char > " " && char < "\u007f" ? char : encodeURIComponent(char))).join("");
}

/** The outcome of a step: a decision, a bypass of the remaining rules, or none. */
type Outcome =
  | { readonly kind: "decided"; readonly decision: Omit<Decision, "logged"> }
  | { readonly kind: "bypassed"; readonly by: Cause; readonly isSystem: boolean }
  | { readonly kind: "passed" };

const PASSED: Outcome = { kind: "passed" };

function fitsDomain(pattern: string, host: string | undefined): boolean {
  if (pattern === "*") return true;
  if (host === undefined) return false;
  const wanted = pattern.toLowerCase();
  if (!wanted.startsWith("*.")) return host === wanted;
  const end = wanted.slice(1);
  return host.endsWith(end) && host.length > end.length;
}

function isBypassListed({ bypasses }: ProtectionContext, { address, host }: NaiveRequest): boolean {
  return bypasses.some(
    ({ ip, domain }) =>
      (ip === null || isInNetwork(address, parseNetwork(ip))) && (domain === null || fitsDomain(domain, host)),
  );
}

/** Whether one of the project's bypass rules matches. They cannot refer to shared conditions. */
function isBypassedByConditions({ bypassRules = [] }: ProtectionContext, scope: Scope): boolean {
  const { host, isBodyUnreadable } = scope.request;
  return bypassRules.some(({ domain, conditionGroup }) => {
    const groups = conditionGroup.filter(
      ({ conditions }) => !(isBodyUnreadable && conditions.some(({ type }) => type === "body")),
    );
    return fitsDomain(domain, host) && matchesGroups(groups, { ...scope, isWithinShared: true });
  });
}

/** Whether the first rule that would decide bypasses the system. */
function isBypassedByRule(scope: Scope): boolean {
  const { configuration } = scope;
  if (!configuration.firewallEnabled) return false;
  for (const { active, conditionGroup, action } of configuration.rules) {
    const does = action.mitigate?.action;
    if (!active || does === undefined || does === "log" || does === "rate_limit") continue;
    if (!matchesGroups(conditionGroup, scope)) continue;
    return does === "bypass" && action.mitigate?.bypassSystem === true;
  }
  return false;
}

function statusOf(action: Decision["action"], isPermanent = false): number | null {
  if (action === "allow" || action === "bypass") return null;
  if (action === "redirect") return isPermanent ? 301 : 307;
  return action === "rate_limit" ? 429 : 403;
}

/** Whole seconds, rounded up, at least 1. */
function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function rankHostname(hostname: string): number {
  if (hostname === "*") return 2;
  return hostname.startsWith("*.") ? 1 : 0;
}

function decideByAddress(
  configuration: Configuration,
  request: NaiveRequest,
  logged: Cause[],
  isPassed: boolean,
): Outcome {
  const fitting = configuration.ips
    .map((entry, index) => ({ entry, index, network: parseNetwork(entry.ip) }))
    .filter(({ entry, network }) => isInNetwork(request.address, network) && fitsDomain(entry.hostname, request.host))
    .toSorted(
      (a, b) =>
        (b.network?.prefix ?? 0) - (a.network?.prefix ?? 0) ||
        rankHostname(a.entry.hostname) - rankHostname(b.entry.hostname) ||
        a.index - b.index,
    );
  for (const { entry } of fitting) {
    const by: Cause = { phase: "ip", id: entry.id, name: null };
    if (entry.action === "bypass") return { kind: "bypassed", by, isSystem: false };
    if (entry.action === "challenge" && isPassed) continue;
    if (entry.action !== "log") {
      return { kind: "decided", decision: { action: entry.action, status: statusOf(entry.action), by } };
    }
    logged.push(by);
  }
  return PASSED;
}

interface RuleCall {
  readonly rule: Rule;
  readonly mitigation: Mitigation;
  readonly request: NaiveRequest;
  readonly counters: NaiveCounters;
  readonly now: number;
}

type Blocking = "deny" | "challenge" | "rate_limit";

/** Decides, and holds the client when the rule has a duration. */
function block({ rule, mitigation, request, counters, now }: RuleCall, action: Blocking, retryMs?: number): Outcome {
  const by: Cause = { phase: "rule", id: rule.id, name: rule.name };
  const client = clientOf(mitigation, request);
  let waitMs = retryMs;
  if (mitigation.actionDuration && client !== undefined) {
    waitMs = DURATIONS_MS[mitigation.actionDuration];
    counters.holds.set(JSON.stringify([rule.id, client]), { action, until: now + waitMs });
  }
  const retry = waitMs === undefined ? {} : { retryAfter: secondsOf(waitMs) };
  return { kind: "decided", decision: { action, status: statusOf(action), by, ...retry } };
}

function findHold({ rule, mitigation, request, counters, now }: RuleCall): Outcome | undefined {
  if (!mitigation.actionDuration) return;
  const hold = counters.holds.get(JSON.stringify([rule.id, clientOf(mitigation, request)]));
  if (!hold || now >= hold.until) return;
  const action = hold.action as Blocking;
  const by: Cause = { phase: "rule", id: rule.id, name: rule.name };
  const retryAfter = secondsOf(hold.until - now);
  return { kind: "decided", decision: { action, status: statusOf(action), by, retryAfter, isHeld: true } };
}

function applyRule(call: RuleCall, logged: Cause[]): Outcome {
  const { rule, mitigation, request, counters, now } = call;
  const by: Cause = { phase: "rule", id: rule.id, name: rule.name };
  const bypassed: Outcome = { kind: "bypassed", by, isSystem: mitigation.bypassSystem === true };
  switch (mitigation.action) {
    case "log":
      logged.push(by);
      return PASSED;
    case "deny":
    case "challenge":
      return block(call, mitigation.action);
    case "bypass":
      return bypassed;
    case "redirect": {
      const { location, permanent } = mitigation.redirect ?? { location: "", permanent: false };
      const status = statusOf("redirect", permanent);
      return { kind: "decided", decision: { action: "redirect", status, by, location: asHeader(location) } };
    }
    case "rate_limit": {
      if (!mitigation.rateLimit) return PASSED;
      const counterName = JSON.stringify([rule.id, clientOf(mitigation, request)]);
      const retryMs = count(counters, mitigation.rateLimit, counterName, now);
      if (retryMs === undefined) return PASSED;
      const exceeded = mitigation.rateLimit.action;
      if (exceeded === "log") {
        logged.push(by);
        return PASSED;
      }
      if (exceeded === "bypass") return bypassed;
      return block(call, exceeded === "deny" || exceeded === "challenge" ? exceeded : "rate_limit", retryMs);
    }
  }
}

function decideByRules(
  scope: Scope,
  call: Pick<RuleCall, "counters" | "now">,
  logged: Cause[],
  isPassed: boolean,
): Outcome {
  const { configuration, request } = scope;
  const isSkipped = (outcome: Outcome | undefined) =>
    isPassed && outcome?.kind === "decided" && outcome.decision.action === "challenge";
  for (const rule of configuration.rules) {
    if (!rule.active) continue;
    const ruleCall = { ...call, request, rule, mitigation: rule.action.mitigate ?? { action: "log" as const } };
    const held = findHold(ruleCall);
    if (isSkipped(held)) continue;
    if (held) return held;
    if (!matchesGroups(rule.conditionGroup, scope)) continue;
    const outcome = applyRule(ruleCall, logged);
    if (outcome.kind !== "passed" && !isSkipped(outcome)) return outcome;
  }
  return PASSED;
}

export function interpret(
  configuration: Configuration,
  context: ProtectionContext,
  attributes: RequestAttributes,
  counters: NaiveCounters,
  time: number,
  observe?: Observe,
): Decision {
  const now = Math.floor(time);
  const request = readRequest(attributes);
  const scope: Scope = { configuration, request, isWithinShared: false, observe };
  const logged: Cause[] = [];
  const isBypassed = isBypassListed(context, request) || isBypassedByConditions(context, scope);
  const isPassed = attributes.challengePassed === true;
  if (context.isAttackMode && !isBypassed && !isBypassedByRule(scope) && !isPassed) {
    return { action: "challenge", status: 403, by: { phase: "attack_mode", id: null, name: null }, logged };
  }
  if (!configuration.firewallEnabled) return { action: "allow", status: null, by: null, logged };
  let outcome = decideByAddress(configuration, request, logged, isPassed);
  if (outcome.kind === "passed") outcome = decideByRules(scope, { counters, now }, logged, isPassed);
  if (outcome.kind === "decided") return { ...outcome.decision, logged };
  if (!(outcome.kind === "bypassed" && outcome.isSystem)) {
    for (const { set, tag, action } of findManaged(configuration, request)) {
      const by: Cause = { phase: "managed", id: set, name: tag };
      if (action === "challenge" && isPassed) continue;
      if (action !== "log") return { action, status: statusOf(action), by, logged };
      logged.push(by);
    }
  }
  return outcome.kind === "bypassed"
    ? { action: "bypass", status: null, by: outcome.by, logged }
    : { action: "allow", status: null, by: null, logged };
}
