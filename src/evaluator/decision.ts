// What comes out of the evaluator: the decision, and on request the way to it.

export const DECISIONS = ["allow", "deny", "challenge", "redirect", "rate_limit", "bypass"] as const;
export type DecisionAction = (typeof DECISIONS)[number];

/** Where a step stands in the order of docs/firewall.md. */
export const PHASES = ["attack_mode", "ip", "rule", "managed"] as const;
export type Phase = (typeof PHASES)[number];

/** What decided, or was noted on the way. */
export interface Cause {
  readonly phase: Phase;
  /** Id of the rule or address entry, or the name of the managed set; null: attack challenge mode. */
  readonly id: string | null;
  readonly name: string | null;
}

export interface Decision {
  readonly action: DecisionAction;
  /** What the client is answered with; null: the request goes on. */
  readonly status: number | null;
  /** What decided; null: nothing did, and the request is allowed. */
  readonly by: Cause | null;
  /** Of a redirect. */
  readonly location?: string;
  /** Seconds after which a held or limited client may try again. */
  readonly retryAfter?: number;
  /** True when an earlier decision of the rule still holds the client. */
  readonly isHeld?: true;
  /** What matched with `log`, in order. */
  readonly logged: readonly Cause[];
}

export interface ConditionTrace {
  readonly type: string;
  readonly op: string;
  readonly neg: boolean;
  readonly key?: string;
  /** What the request had there; several where it had several, empty where it had none. */
  readonly actual: readonly string[];
  readonly expected?: string | number | readonly (string | number)[];
  readonly holds: boolean;
}

export const OUTCOMES = ["matched", "not_matched", "held", "under_limit", "inactive", "skipped"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One step on the way to a decision. */
export interface Step extends Cause {
  readonly outcome: Outcome;
  /** What the step does when it matches. */
  readonly action: string;
  /** Says in words why, where that is not a matter of conditions. */
  readonly reason?: string;
  /** Groups of conditions, each with all its conditions. */
  readonly groups?: readonly { readonly matches: boolean; readonly conditions: readonly ConditionTrace[] }[];
  /** Requests counted in the window, or tokens left, after this one; and the limit. */
  readonly count?: number;
  readonly limit?: number;
  /** True for the steps behind the one that decided: what would have followed. */
  readonly isAfterDecision?: true;
}

export interface Explanation {
  readonly decision: Decision;
  readonly steps: readonly Step[];
}
