// What the gate has decided about a request, and how it says so in the header X-Reeve-Decision.
import { DECISIONS } from "../firewall/evaluator/decision.ts";
import type { Answers } from "../firewall/evaluator/awaited-counters.ts";
import type { DecodedBody } from "../firewall/evaluator/body/decode-body.ts";
import type { Cause, DecisionAction } from "../firewall/evaluator/decision.ts";

/** Why a decision was made without the evaluator, or differs from what it said. */
export const REASONS = {
  no_bundle: "the gate has never had a bundle of the project",
  error: "the evaluator failed",
  too_slow: "the evaluation was given up, because it took more than 5 ms",
  body_too_large: "a rule reads the body, which has more bytes than the gate looks at",
  body_undecodable: "a rule reads the body, which is not what its headers say or can be read in more than one way",
  body_nul: "a rule reads the body, which holds NUL",
  unknown_host: "the gate has no project for the host",
  bad_request: "the gate could not read the request",
  local_counters: "the counter store was away, and this gate counted by itself",
  detect_only: "the gate only records what it would have decided",
} as const;
export type Reason = keyof typeof REASONS;

export interface GateDecision {
  /** Names the decision in the answer, in the log, and in the control plane. */
  readonly id: string;
  readonly action: DecisionAction;
  /** The status for the client; null: the request goes to the application. */
  readonly status: number | null;
  /** The step that decided; null: none did. */
  readonly by: Cause | null;
  /** The version of the configuration; null: none is active. */
  readonly version: number | null;
  readonly reason: Reason | null;
  /** What was found, where the reason alone does not say it; for the operator, not for the client. */
  readonly detail?: string;
  /** Detect only: what is not done. */
  readonly wouldBe: DecisionAction | null;
  readonly location: string | null;
  /** Seconds. */
  readonly retryAfter: number | null;
  /** Steps that matched with the action `log`. */
  readonly logged: readonly Cause[];
  /** What it takes besides the request to explain the decision afterwards; absent: the evaluator did not decide. */
  readonly evidence?: Evidence;
}

export interface Evidence {
  readonly answers: Answers;
  /** Undefined: no rule read it. */
  readonly body: DecodedBody | undefined;
}

export function isLetThrough({ status }: GateDecision): boolean {
  return status === null;
}

export const DECISION_HEADER = "x-reeve-decision";

/** Ids of rules are the configuration's: nothing in them may end the header or begin another parameter. */
function safe(text: string): string {
  return text.replaceAll(/[^\w.:-]/g, "_");
}

/** `deny; rule=rule_1; version=3; id=...`; of a request that was let through and logged, `log` and the first rule that logged it. */
export function decisionHeader({ action, by: decidedBy, version, reason, wouldBe, id, logged }: GateDecision): string {
  const isLogged = action === "allow" && decidedBy === null && logged.length > 0;
  const by = isLogged ? (logged[0] as Cause) : decidedBy;
  let text: string = isLogged ? "log" : action;
  if (by?.id) text += `; rule=${safe(by.id)}`;
  else if (by) text += `; phase=${by.phase}`;
  if (version !== null) text += `; version=${version}`;
  if (reason !== null) text += `; reason=${reason}`;
  if (wouldBe !== null) text += `; would=${wouldBe}`;
  return `${text}; id=${id}`;
}

const PARAMETER = /^(\w+)=([\w.:-]+)$/;

function reasonOf(text: string | undefined): Reason | null {
  return text !== undefined && Object.hasOwn(REASONS, text) ? (text as Reason) : null;
}

/** Reads the header of a refusal back, as far as it goes. Null: it is none. */
export function parseDecisionHeader(text: string): GateDecision | null {
  const [name = "", ...parameters] = text.split("; ");
  const action = DECISIONS.find((one) => one === name);
  const found = new Map(
    parameters.flatMap((part) => (PARAMETER.exec(part) ? [part.split("=") as [string, string]] : [])),
  );
  const id = found.get("id");
  if (action === undefined || id === undefined) return null;
  const ruleId = found.get("rule") ?? null;
  const version = Number(found.get("version"));
  return {
    id,
    action,
    status: null,
    by: ruleId === null ? null : { phase: "rule", id: ruleId, name: null },
    version: Number.isSafeInteger(version) ? version : null,
    reason: reasonOf(found.get("reason")),
    wouldBe: null,
    location: null,
    retryAfter: null,
    logged: [],
  };
}
