// What an attempt means: for its delivery, and for the receiver.
import { DAY_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";
import { LONGEST_PAUSE_MS } from "./queue/queue.ts";
import { nextTryAt } from "./delivery-schedule.ts";
import type { EgressAnswer, EgressOutcome } from "./egress/egress-exchange.ts";

export interface Verdict {
  readonly state: "pending" | "delivered" | "failed";
  /** When it is tried again; null when it is not. */
  readonly dueAt: number | null;
  /** Does the receiver work? `unsaid`: it answered, and refused this one delivery for good. */
  readonly health: "good" | "bad" | "unsaid";
  /** The receiver says that it is gone. */
  readonly isGone: boolean;
  /** Until then the receiver asks for nothing more; null: it doesn't. */
  readonly pauseUntil: number | null;
}

const GONE = 410;
/** Answers of a receiver that has too much to do, or of what stands before it. */
const BUSY = new Set([429, 503]);
const LONGEST_WAIT_MS = DAY_MS;

/** Milliseconds that a `Retry-After` asks for, as seconds or as a date; null when there is none. RFC 9110, section 10.2.3 */
function retryAfter({ headers }: EgressAnswer, now: number): number | null {
  const text = headers["retry-after"]?.trim();
  if (!text) return null;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now;
  return Number.isNaN(wait) || wait <= 0 ? null : wait;
}

const FINAL = { state: "failed", dueAt: null, isGone: false, pauseUntil: null } as const;

/** `tries` counts this attempt. `random` is from 0 to 1. */
export function judge(outcome: EgressOutcome, tries: number, now: number, random: number): Verdict {
  const answer = "answer" in outcome ? outcome.answer : undefined;
  if (answer && answer.status >= 200 && answer.status < 300) {
    return { state: "delivered", dueAt: null, health: "good", isGone: false, pauseUntil: null };
  }
  if (answer?.status === GONE) return { ...FINAL, health: "bad", isGone: true };
  if (answer?.headers["webhook-delivery"]?.trim().toLowerCase() === "abort-message") {
    return { ...FINAL, health: "unsaid" };
  }
  const wait = answer ? retryAfter(answer, now) : null;
  const next = nextTryAt(tries, now, random);
  const pauseUntil = answer && wait !== null && BUSY.has(answer.status) ? now + Math.min(wait, LONGEST_PAUSE_MS) : null;
  if (next === null) return { ...FINAL, health: "bad", pauseUntil };
  const dueAt = wait === null ? next : Math.max(next, now + Math.min(wait, LONGEST_WAIT_MS));
  return { state: "pending", dueAt, health: "bad", isGone: false, pauseUntil };
}
