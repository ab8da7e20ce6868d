// One attempt: composes the message, sends it, classifies the response, and returns the outcome as it is stored.
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Span, Tracing } from "../../platform/kernel/telemetry/tracing.ts";
import type { DueDelivery } from "../queue/delivery-store.ts";
import type { AttemptOutcome } from "../queue/queue.ts";
import type { Target } from "../webhooks/target.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { EgressFailure } from "../../platform/egress/egress-error.ts";
import type { EgressOutcome } from "../../platform/egress/egress-exchange.ts";
import { classify } from "./response-class.ts";
import type { Classification } from "./response-class.ts";
import { composeMessage, loggedHeaders, loggedResponse } from "./webhook-message.ts";
import type { Message } from "./webhook-message.ts";

export interface AttemptResult {
  readonly outcome: AttemptOutcome;
  readonly classification: Classification;
  /** Why there was no response. */
  readonly failure: EgressFailure | null;
}

export interface AttemptContext {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Null: attempts are not traced. */
  readonly tracing: Tracing | null;
}

interface SentAttempt {
  readonly target: Target;
  readonly delivery: DueDelivery;
  readonly message: Message;
  readonly outcome: EgressOutcome;
  readonly classification: Classification;
  readonly startedAt: number;
}

function outcomeOf({ target, delivery, message, outcome, classification, startedAt }: SentAttempt): AttemptOutcome {
  const { sequence, attempts, tries } = delivery;
  const response = "response" in outcome ? outcome.response : undefined;
  const error = "error" in outcome ? outcome.error : undefined;
  return {
    webhookId: target.webhookId,
    sequence,
    attempts,
    tries: tries + 1,
    state: classification.state,
    dueAt: classification.dueAt,
    startedAt,
    durationMs: Math.round(outcome.durationMs),
    status: response?.status ?? null,
    errorStage: error?.stage ?? null,
    error: error?.message ?? null,
    requestHeaders: loggedHeaders(message, target),
    ...loggedResponse(response, target),
  };
}

/** The outcome of an attempt in which nothing is sent, and after which there is none. */
export function unsentOutcome({ webhookId, sequence }: Pick<AttemptOutcome, "webhookId" | "sequence">, now: number) {
  return {
    webhookId,
    sequence,
    state: "failed",
    dueAt: null,
    startedAt: now,
    durationMs: 0,
    status: null,
    requestHeaders: {},
    responseHeaders: {},
    responseBody: "",
    isTruncated: false,
  } as const;
}

/** The result for a delivery whose event was deleted: nothing can be sent. */
function expiredResult({ webhookId }: Target, { sequence, attempts, tries }: DueDelivery, now: number): AttemptResult {
  const unsent = unsentOutcome({ webhookId, sequence }, now);
  return {
    failure: null,
    classification: { state: "failed", dueAt: null, health: "unknown", isGone: false, pauseUntil: null },
    outcome: { ...unsent, attempts, tries, errorStage: "expired", error: "the event is no longer kept" },
  };
}

/** The span names the receiver by its host alone: the rest of a URL is often as good as a password. */
function traceAttempt(tracing: Tracing, target: Target, { type, tries, requestId }: DueDelivery): Span {
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
  const { status } = outcome.response;
  span?.end({ "http.response.status_code": status }, status >= 400 ? String(status) : null);
}

/** Returns undefined for an attempt that was cut off because the process stops: it does not count. */
export async function makeAttempt(
  target: Target,
  delivery: DueDelivery,
  { egress, clock, userAgent, tracing }: AttemptContext,
): Promise<AttemptResult | undefined> {
  const { sequence, type, payload, userId, createdAt, tries } = delivery;
  const startedAt = clock();
  if (payload === null) return expiredResult(target, delivery, startedAt);
  const event = { sequence, type, createdAt, payload, userId };
  const span = tracing && traceAttempt(tracing, target, delivery);
  const traceparent = span?.traceparent;
  const message = composeMessage(target, event, { now: startedAt, userAgent, traceparent });
  const outcome = await egress.send({ url: target.url, headers: message.headers, body: message.body });
  endAttempt(span, outcome);
  if ("error" in outcome && outcome.error.stage === "stopped") return undefined;
  const classification = classify(outcome, tries + 1, clock(), Math.random());
  const failure = "error" in outcome ? outcome.error : null;
  return {
    classification,
    failure,
    outcome: outcomeOf({ target, delivery, message, outcome, classification, startedAt }),
  };
}
