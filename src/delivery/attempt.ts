// An attempt in the form in which it is stored.
import type { DueDelivery } from "../resources/webhooks/delivery-store.ts";
import type { AttemptOutcome } from "../resources/webhooks/queue.ts";
import type { Target } from "../resources/webhooks/target.ts";
import type { EgressOutcome } from "./egress-exchange.ts";
import type { Verdict } from "./verdict.ts";
import { loggedAnswerHeaders, loggedHeaders, loggedText } from "./webhook-message.ts";
import type { Message } from "./webhook-message.ts";

interface Made {
  readonly target: Target;
  readonly delivery: DueDelivery;
  readonly message: Message;
  readonly outcome: EgressOutcome;
  readonly verdict: Verdict;
  readonly startedAt: number;
}

export function attemptOf({ target, delivery, message, outcome, verdict, startedAt }: Made): AttemptOutcome {
  const { sequence, attempts, tries } = delivery;
  const answer = "answer" in outcome ? outcome.answer : undefined;
  const error = "error" in outcome ? outcome.error : undefined;
  return {
    webhookId: target.webhookId,
    sequence,
    attempts,
    tries: tries + 1,
    state: verdict.state,
    dueAt: verdict.dueAt,
    startedAt,
    durationMs: Math.round(outcome.durationMs),
    status: answer?.status ?? null,
    errorStage: error?.stage ?? null,
    error: error?.message ?? null,
    requestHeaders: loggedHeaders(message, target),
    responseHeaders: loggedAnswerHeaders(answer?.headers ?? {}, target),
    responseBody: loggedText(answer?.body ?? "", target),
    isTruncated: answer?.isTruncated ?? false,
  };
}

/** Of a delivery whose event is no longer kept: nothing can be sent. */
export function expiredOf(webhookId: string, { sequence, attempts, tries }: DueDelivery, now: number): AttemptOutcome {
  return {
    webhookId,
    sequence,
    attempts,
    tries,
    state: "failed",
    dueAt: null,
    startedAt: now,
    durationMs: 0,
    status: null,
    errorStage: "expired",
    error: "the event is no longer kept",
    requestHeaders: {},
    responseHeaders: {},
    responseBody: "",
    isTruncated: false,
  };
}
