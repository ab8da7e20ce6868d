// The results of the evaluator: the decision and, on request, the steps that led to it.

export const DECISIONS = ["allow", "deny", "challenge", "redirect", "rate_limit", "bypass"] as const;
export type DecisionAction = (typeof DECISIONS)[number];

/** The phases of an evaluation, in the order of docs/firewall.md. */
export const PHASES = ["attack_mode", "ip", "rule", "managed"] as const;
export type Phase = (typeof PHASES)[number];

/** The step that decided, or that logged the request. */
export interface Cause {
  readonly phase: Phase;
  /** The id of the rule or address entry, or the name of the managed set; null: attack challenge mode. */
  readonly id: string | null;
  readonly name: string | null;
}

export interface Decision {
  readonly action: DecisionAction;
  /** The HTTP status for the client; null: the request is let through. */
  readonly status: number | null;
  /** The step that decided; null: none did, and the request is allowed. */
  readonly by: Cause | null;
  /** The target of a redirect. */
  readonly location?: string;
  /** Seconds until a held or rate-limited client may retry. */
  readonly retryAfter?: number;
  /** True when the decision repeats an earlier one of the rule. */
  readonly isHeld?: true;
  /** Steps that matched with the action `log`, in order. */
  readonly logged: readonly Cause[];
}

export interface ConditionTrace {
  readonly type: string;
  readonly op: string;
  readonly neg: boolean;
  readonly key?: string;
  /** The values of the request, of which there may be none or several. */
  readonly actual: readonly string[];
  readonly expected?: string | number | readonly (string | number)[];
  readonly holds: boolean;
}

export const OUTCOMES = ["matched", "not_matched", "held", "under_limit", "inactive", "skipped"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One step of an evaluation. */
export interface Step extends Cause {
  readonly outcome: Outcome;
  /** What the step does when it matches. */
  readonly action: string;
  /** The reason in words, when conditions do not show it. */
  readonly reason?: string;
  /** The groups of the rule with all their conditions. */
  readonly groups?: readonly { readonly matches: boolean; readonly conditions: readonly ConditionTrace[] }[];
  /** Requests counted in the window, or tokens left, after this request; and the limit. */
  readonly count?: number;
  readonly limit?: number;
  /** True for the steps after the one that decided: they show what would have followed. */
  readonly isAfterDecision?: true;
}

export interface Explanation {
  readonly decision: Decision;
  readonly steps: readonly Step[];
}
