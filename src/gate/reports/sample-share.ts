// Chooses which decisions of a project and minute are sampled: a flood that one rule refuses leaves space for what others refuse.
import type { GateDecision } from "../decision.ts";

/** Of each cause in any case, as long as there are not too many causes. */
const ALWAYS = 3;
const MAX_WITH_ALWAYS = 200;
/** Of each cause; beyond them every one whose number is a power of two. */
const PLENTY = 25;
const MAX = 100;

const isPowerOfTwo = (count: number): boolean => Number.isInteger(Math.log2(count));

export interface Share {
  readonly minute: number;
  /** Whether to sample one more decision. */
  take(decision: Pick<GateDecision, "action" | "by" | "reason" | "logged">): boolean;
}

export function createShare(minute: number): Share {
  const seen = new Map<string, number>();
  let taken = 0;
  return {
    minute,
    take({ action, by, reason, logged }) {
      const step = by ?? logged[0];
      const cause = `${action} ${reason ?? ""} ${step?.phase ?? ""} ${step?.id ?? ""}`;
      const count = (seen.get(cause) ?? 0) + 1;
      seen.set(cause, count);
      const isTaken =
        count <= ALWAYS ? taken < MAX_WITH_ALWAYS : taken < MAX && (count <= PLENTY || isPowerOfTwo(count));
      if (isTaken) taken++;
      return isTaken;
    },
  };
}
