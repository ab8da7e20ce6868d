// Deliveries, attempts and replays as responses show them.
import type { Static } from "typebox";
import type { AttemptRow, DeliveryRow } from "../../queue/log-store.ts";
import type { ReplayRow } from "../../queue/replay-store.ts";
import type { DeliveryState } from "../../queue/vocabulary.ts";
import { messageId } from "../message-id.ts";
import type { Replay, Attempt, Delivery } from "./delivery-schema.ts";

/** Stages that reveal whether a name exists, and what it resolves to. */
const ADDRESS_STAGES: ReadonlySet<string | null> = new Set(["refused", "dns"]);
const UNREACHABLE = "the host can't be resolved, or is not one that webhooks may reach; an administrator sees which";

interface Failure {
  readonly stage: string;
  readonly message: string;
}

/**
 * Why an attempt had no response, as the reader may know it: otherwise everyone who may create a webhook could explore the names and
 * addresses of the server's network.
 */
export function shownFailure(failure: Failure, isOperator: boolean): Failure {
  const isHidden = ADDRESS_STAGES.has(failure.stage) && !isOperator;
  return isHidden ? { stage: "unreachable", message: UNREACHABLE } : failure;
}

export function publicDelivery(row: DeliveryRow, isOperator: boolean): Static<typeof Delivery> {
  return {
    id: messageId(row.webhookId, row.sequence),
    webhookId: row.webhookId,
    eventId: row.eventId,
    sequence: row.sequence,
    type: row.type,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    nextAttemptAt: row.dueAt,
    createdAt: row.createdAt,
    lastAttemptAt: row.lastAttemptAt,
    durationMs: row.durationMs,
    status: row.status,
    errorStage: row.errorStage && shownFailure({ stage: row.errorStage, message: "" }, isOperator).stage,
  };
}

export const NOT_LOGGED = "(not logged)";
/** The log shows this instead of a response that is not kept. */
export const UNLOGGED_RESPONSE = { responseHeaders: {}, responseBody: NOT_LOGGED, isTruncated: false };

function responseOf(row: AttemptRow) {
  return {
    responseHeaders: JSON.parse(row.responseHeaders) as Record<string, string>,
    responseBody: row.responseBody,
    isTruncated: row.isTruncated === 1,
  };
}

/** Responses from before are hidden while the webhook keeps none: they may echo its headers. */
export function publicAttempt(
  row: AttemptRow,
  isOperator: boolean,
  areResponsesShown: boolean,
): Static<typeof Attempt> {
  return {
    number: row.number,
    startedAt: row.startedAt,
    durationMs: row.durationMs,
    status: row.status,
    error:
      row.errorStage === null ? null : shownFailure({ stage: row.errorStage, message: row.error ?? "" }, isOperator),
    requestHeaders: JSON.parse(row.requestHeaders) as Record<string, string>,
    ...(areResponsesShown || row.status === null ? responseOf(row) : UNLOGGED_RESPONSE),
  };
}

export function publicReplay(row: ReplayRow): Static<typeof Replay> {
  return {
    id: row.id,
    webhookId: row.webhookId,
    states: JSON.parse(row.states) as DeliveryState[],
    types: row.types === null ? null : (JSON.parse(row.types) as string[]),
    since: row.since,
    until: row.until,
    queued: row.queued,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
  };
}
