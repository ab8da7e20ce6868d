// Deliveries as answers show them.
import type { AttemptRow, DeliveryRow } from "./delivery-log-store.ts";
import type { ReplayRow } from "./replay-store.ts";
import type { DeliveryState, ReplayedState } from "./delivery-schema.ts";
import { messageId } from "./message-id.ts";

export function publicDelivery(row: DeliveryRow) {
  return {
    id: messageId(row.webhook_id, row.sequence),
    webhookId: row.webhook_id,
    eventId: row.event_id,
    sequence: row.sequence,
    type: row.type,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    nextAttemptAt: row.due_at,
    createdAt: row.created_at,
    lastAttemptAt: row.last_attempt_at,
    status: row.status,
    errorStage: row.error_stage,
  };
}

export function publicAttempt(row: AttemptRow) {
  return {
    number: row.number,
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    status: row.status,
    error: row.error_stage === null ? null : { stage: row.error_stage, message: row.error ?? "" },
    requestHeaders: JSON.parse(row.request_headers) as Record<string, string>,
    responseHeaders: JSON.parse(row.response_headers) as Record<string, string>,
    responseBody: row.response_body,
    isTruncated: row.is_truncated === 1,
  };
}

export function publicReplay(row: ReplayRow) {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    states: JSON.parse(row.states) as ReplayedState[],
    types: row.types === null ? null : (JSON.parse(row.types) as string[]),
    since: row.since,
    until: row.until,
    queued: row.queued,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
