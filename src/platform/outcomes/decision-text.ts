// Describes a decision in one line: the action, the rule that decided, and why.
import type { Expectation } from "./expectations.ts";
import type { FirewallCause, FirewallStep, FirewallResult } from "./firewall-trial.ts";

type Group = NonNullable<FirewallStep["groups"]>[number];

const quoted = (value: unknown) => JSON.stringify(value);

const OUTCOMES: Readonly<Record<string, string>> = {
  matched: "matched",
  not_matched: "did not match",
  held: "holds the client",
  under_limit: "is under its limit",
  inactive: "is inactive",
  skipped: "was skipped",
};

/** What the policies of a gate decide about, each with the setting that changes it. */
export const POLICY_TEXTS: Readonly<Record<string, string>> = {
  no_bundle: "The gate has never had the rules of this project: REEVE_GATE_NO_BUNDLE says what happens then.",
  error: "The rules could not be evaluated for this request: REEVE_GATE_ON_ERROR says what happens then.",
  too_slow: "The rules took more than 5 ms for this request: REEVE_GATE_ON_ERROR says what happens then.",
  body_too_large:
    "A rule reads the body, which is larger than REEVE_GATE_BODY_LIMIT: REEVE_GATE_ON_BODY says what happens then.",
  body_undecodable:
    "A rule reads the body, which is not what its headers say or can be read in more than one way: REEVE_GATE_ON_BODY says what happens then.",
  body_nul: "A rule reads the body, which holds NUL: REEVE_GATE_ON_BODY says what happens then.",
  unknown_host: "The gate has no project for this host: REEVE_GATE_HOSTS names them.",
  bad_request: "The gate could not read the request. No setting changes that.",
  local_counters: "The counter store (REEVE_GATE_REDIS_URL) was away, so this gate counted by itself.",
  detect_only: "The gate only records what it would have decided (REEVE_GATE_DETECT_ONLY).",
};

/** A rule of the core rule set, which an engine beside the gate enforces: `crs:xss:941100`. */
const OF_ENGINE = /^crs:/;

export function describeCause({ phase, id, name }: FirewallCause): string {
  if (OF_ENGINE.test(id ?? "")) return `the rule ${id}${name === null ? "" : ` (${name})`}`;
  if (phase === "attack_mode") return "attack challenge mode";
  if (phase === "ip") return `the address entry ${id}`;
  if (phase === "managed") return name === null ? `the managed set ${id}` : `${name} of the managed set ${id}`;
  return `the rule ${quoted(name ?? id)}`;
}

function describeConditions({ conditions }: Group, holds: boolean): string {
  return conditions
    .filter((condition) => condition.holds === holds)
    .map(({ type, op, neg, key, expected, actual }) => {
      const read = key === undefined ? type : `${type} ${key}`;
      const had = actual.length === 0 ? "none" : actual.map(quoted).join(", ");
      return [neg ? "not" : "", read, op, expected === undefined ? "" : quoted(expected), `(was ${had})`]
        .filter((part) => part !== "")
        .join(" ");
    })
    .join(" and ");
}

/** The text in which a managed set found its pattern; the pattern itself says little. */
function describeFindings({ conditions }: Group): string {
  return conditions.map(({ type, actual }) => `${type} was ${actual.map(quoted).join(", ") || "none"}`).join(" and ");
}

/** Why a step matched or not; empty where there is nothing to say. */
function whyOf({ phase, outcome, reason, groups = [], count, limit }: FirewallStep): string {
  const parts = [];
  if (phase === "managed") {
    parts.push(...groups.map(describeFindings));
  } else if (outcome === "not_matched") {
    parts.push(...groups.map((group) => describeConditions(group, false)));
  } else {
    const matching = groups.find(({ matches }) => matches);
    if (matching) parts.push(describeConditions(matching, true));
  }
  if (count !== undefined && limit !== undefined) parts.push(`count ${count}, limit ${limit}`);
  if (reason !== undefined) parts.push(reason);
  return parts.filter((part) => part !== "").join("; ");
}

function isSame(step: FirewallStep, cause: FirewallCause): boolean {
  return step.phase === cause.phase && step.id === cause.id;
}

const because = (text: string) => (text === "" ? "" : `: ${text}`);

const isNamed = ({ id, name }: FirewallCause, wanted: string) => id === wanted || name === wanted;

export function isAsExpected({ decision }: FirewallResult, { action, rule, status }: Expectation): boolean {
  if (decision.action !== action) return false;
  if (status !== undefined && decision.status !== status) return false;
  return rule === undefined || (decision.by !== null && isNamed(decision.by, rule));
}

export function describeExpected({ action, rule, status }: Expectation): string {
  return [
    action,
    ...(status === undefined ? [] : [status]),
    ...(rule === undefined ? [] : [`by ${quoted(rule)}`]),
  ].join(" ");
}

/** What a step did, and why. */
export function describeStep(step: FirewallStep): string {
  return `${describeCause(step)} ${OUTCOMES[step.outcome] ?? step.outcome}${because(whyOf(step))}`;
}

/** The step that was expected to decide and did not: the named one, else the only one with the expected action. */
function findMissed({ decision, steps }: FirewallResult, { action, rule }: Expectation): string | null {
  if (rule !== undefined) {
    if (decision.by !== null && isNamed(decision.by, rule)) return null;
    const named = steps.find((step) => isNamed(step, rule));
    return named ? describeStep(named) : `there is no ${quoted(rule)}`;
  }
  if (action === decision.action) return null;
  const able = steps.filter((step) => step.action === action);
  return able.length === 1 ? describeStep(able[0] as FirewallStep) : null;
}

/** What decided, and why. */
export function describeReason({ decision: { by, isHeld }, steps }: FirewallResult): string {
  if (by === null) return "nothing decided";
  const decided = steps.find((step) => !step.isAfterDecision && isSame(step, by));
  return `${describeCause(by)}${isHeld ? " holds the client" : ""}${because(decided ? whyOf(decided) : "")}`;
}

/** What decided and why; then why the expected rule did not decide. */
export function describeOutcome(result: FirewallResult, expectation: Expectation): string {
  const missed = findMissed(result, expectation);
  return `${describeReason(result)}${missed === null ? "" : `; ${missed}`}`;
}

/** The decision, and its outcome. */
export function describeResult(result: FirewallResult, expectation: Expectation): string {
  const { action, status } = result.decision;
  return `${action}${status === null ? "" : ` ${status}`}: ${describeOutcome(result, expectation)}`;
}
