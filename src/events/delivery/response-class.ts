// Classifies the response to an attempt: what it means for the delivery, and for the health of the receiver.
import { DAY_MS } from "../../platform/kernel/scheduling/clock.ts";
import { readRetryAfter } from "../../platform/kernel/text/retry-after.ts";
import { LONGEST_PAUSE_MS } from "../queue/queue.ts";
import { nextTryAt } from "./delivery-schedule.ts";
import type { EgressOutcome } from "../../platform/egress/egress-exchange.ts";

export interface Classification {
  readonly state: "pending" | "delivered" | "failed";
  /** When the delivery is retried; null when it is not. */
  readonly dueAt: number | null;
  /** The health of the receiver. `unknown`: it responded, and refused this one delivery for good. */
  readonly health: "good" | "bad" | "unknown";
  /** The receiver responded that it is gone. */
  readonly isGone: boolean;
  /** The time until which the receiver asks for no requests; null: it does not ask for a pause. */
  readonly pauseUntil: number | null;
}

const GONE = 410;
/** Statuses of an overloaded receiver, or of a proxy in front of it. */
const OVERLOADED = new Set([429, 503]);
const LONGEST_WAIT_MS = DAY_MS;

const FINAL = { state: "failed", dueAt: null, isGone: false, pauseUntil: null } as const;

/** `tries` counts this attempt. `random` is from 0 to 1. */
export function classify(outcome: EgressOutcome, tries: number, now: number, random: number): Classification {
  const response = "response" in outcome ? outcome.response : undefined;
  if (response && response.status >= 200 && response.status < 300) {
    return { state: "delivered", dueAt: null, health: "good", isGone: false, pauseUntil: null };
  }
  if (response?.status === GONE) return { ...FINAL, health: "bad", isGone: true };
  if (response?.headers["webhook-delivery"]?.trim().toLowerCase() === "abort-message") {
    return { ...FINAL, health: "unknown" };
  }
  const wait = readRetryAfter(response?.headers["retry-after"], now) || null;
  const next = nextTryAt(tries, now, random);
  const isPaused = response && wait !== null && OVERLOADED.has(response.status);
  const pauseUntil = isPaused ? now + Math.min(wait, LONGEST_PAUSE_MS) : null;
  if (next === null) return { ...FINAL, health: "bad", pauseUntil };
  const dueAt = wait === null ? next : Math.max(next, now + Math.min(wait, LONGEST_WAIT_MS));
  return { state: "pending", dueAt, health: "bad", isGone: false, pauseUntil };
}
