// One attempt: composed, sent, judged, and in the form in which it is stored.
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Span, Tracing } from "../kernel/telemetry/tracing.ts";
import type { DueDelivery } from "./queue/delivery-store.ts";
import type { AttemptOutcome } from "./queue/queue.ts";
import type { Target } from "../resources/webhooks/target.ts";
import type { Egress } from "./egress/egress.ts";
import type { EgressFailure } from "./egress/egress-error.ts";
import type { EgressOutcome } from "./egress/egress-exchange.ts";
import { judge } from "./response-class.ts";
import type { Verdict } from "./response-class.ts";
import { composeMessage, loggedAnswer, loggedHeaders } from "./webhook-message.ts";
import type { Message } from "./webhook-message.ts";

export interface Made {
  readonly outcome: AttemptOutcome;
  readonly verdict: Verdict;
  /** Why there was no answer. */
  readonly failure: EgressFailure | null;
}

export interface Means {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Null: nothing is traced. */
  readonly tracing: Tracing | null;
}

interface Sent {
  readonly target: Target;
  readonly delivery: DueDelivery;
  readonly message: Message;
  readonly outcome: EgressOutcome;
  readonly verdict: Verdict;
  readonly startedAt: number;
}

function outcomeOf({ target, delivery, message, outcome, verdict, startedAt }: Sent): AttemptOutcome {
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
    ...loggedAnswer(answer, target),
  };
}

/** Of a delivery whose event is no longer kept: nothing can be sent. */
function expired({ webhookId }: Target, { sequence, attempts, tries }: DueDelivery, now: number): Made {
  return {
    failure: null,
    verdict: { state: "failed", dueAt: null, health: "unsaid", isGone: false, pauseUntil: null },
    outcome: {
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
    },
  };
}

/** The receiver by its host alone: what follows in a URL is often as good as a password. */
function traceAttempt(tracing: Tracing, target: Target, { type, tries, request_id: requestId }: DueDelivery): Span {
  return tracing.attempt("POST", requestId, {
    "http.request.method": "POST",
    "server.address": new URL(target.url).hostname,
    "reeve.event.type": type,
    "reeve.webhook.id": target.webhookId,
    ...(tries > 0 && { "http.request.resend_count": tries }),
  });
}

function endAttempt(span: Span | null, outcome: EgressOutcome): void {
  if ("error" in outcome) return span?.end({}, outcome.error.stage);
  const { status } = outcome.answer;
  span?.end({ "http.response.status_code": status }, status >= 400 ? String(status) : null);
}

/** Undefined: it was cut off because the process stops, and does not count. */
export async function makeAttempt(
  target: Target,
  delivery: DueDelivery,
  { egress, clock, userAgent, tracing }: Means,
): Promise<Made | undefined> {
  const { sequence, type, payload, user_id: userId, created_at: createdAt, tries } = delivery;
  const startedAt = clock();
  if (payload === null) return expired(target, delivery, startedAt);
  const happened = { sequence, type, createdAt, payload, userId };
  const span = tracing && traceAttempt(tracing, target, delivery);
  const traceparent = span?.traceparent;
  const message = composeMessage(target, happened, { now: startedAt, userAgent, traceparent });
  const outcome = await egress.send({ url: target.url, headers: message.headers, body: message.body });
  endAttempt(span, outcome);
  if ("error" in outcome && outcome.error.stage === "stopped") return undefined;
  const verdict = judge(outcome, tries + 1, clock(), Math.random());
  const failure = "error" in outcome ? outcome.error : null;
  return { verdict, failure, outcome: outcomeOf({ target, delivery, message, outcome, verdict, startedAt }) };
}
