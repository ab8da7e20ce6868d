// The state of one evaluation: what was logged, which step bypassed the rest, and the decision.
import type { Cause, Decision, DecisionAction } from "./decision.ts";
import type { Mitigation } from "./config.ts";
import type { RequestAttributes } from "./request/attributes.ts";
import type { Effect, EffectAction } from "./rule.ts";

const MS_PER_SECOND = 1_000;
const STATUSES: Readonly<Record<DecisionAction, number | null>> = {
  allow: null,
  bypass: null,
  deny: 403,
  challenge: 403,
  rate_limit: 429,
  redirect: 307,
};

export function retryAfter(waitMs: number): number {
  return Math.max(1, Math.ceil(waitMs / MS_PER_SECOND));
}

/** Percent-encodes what no header holds: older configurations may have such a location. */
function headerText(location: string): string {
  return location.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent);
}

export class EvaluationState {
  readonly #logged: Cause[] = [];
  #bypassedBy: Cause | null = null;
  /** Set by a bypass: the remaining steps of this kind are skipped. */
  skipsRules = false;
  skipsManaged = false;
  readonly #attributes: RequestAttributes;

  constructor(attributes: RequestAttributes) {
    this.#attributes = attributes;
  }

  /** Whether a step that challenges decides nothing: the client has passed a challenge. Read when the first such step matches. */
  skips(action: string): boolean {
    return action === "challenge" && this.#attributes.challengePassed === true;
  }

  get bypassedBy(): Cause | null {
    return this.#bypassedBy;
  }

  /** Makes a final decision. */
  decide(action: DecisionAction, by: Cause | null): Decision {
    return { action, status: STATUSES[action], by, logged: this.#logged.slice() };
  }

  /** Makes the decision when no step made one. */
  finish(): Decision {
    return this.decide(this.#bypassedBy ? "bypass" : "allow", this.#bypassedBy);
  }

  #bypass(by: Cause): void {
    this.#bypassedBy = by;
    this.skipsRules = true;
  }

  /** Applies the action of an address entry or a managed set. Returns null when evaluation continues. */
  applyAction(action: Exclude<EffectAction, "redirect" | "rate_limit">, by: Cause): Decision | null {
    if (action === "log") this.#logged.push(by);
    else if (action === "bypass") this.#bypass(by);
    else if (!this.skips(action)) return this.decide(action, by);
    return null;
  }

  /** Applies the effect of a rule. Returns null when evaluation continues. */
  applyEffect({ outcome, action, waitMs }: Effect, by: Cause, mitigation: Mitigation | undefined): Decision | null {
    if (action === null || this.skips(action)) return null;
    if (action === "bypass" && mitigation?.bypassSystem === true) this.skipsManaged = true;
    if (action === "log" || action === "bypass") return this.applyAction(action, by);
    const decision = this.decide(action, by);
    if (action === "redirect") {
      const { location = "/", permanent = false } = mitigation?.redirect ?? {};
      return { ...decision, status: permanent ? 301 : 307, location: headerText(location) };
    }
    if (waitMs === undefined) return decision;
    return { ...decision, retryAfter: retryAfter(waitMs), ...(outcome === "held" && { isHeld: true as const }) };
  }
}
