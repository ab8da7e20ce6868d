// Webhooks as responses and events show them.
import type { Call } from "../../platform/kernel/contract.ts";
import { endAhead } from "../../platform/kernel/expiry.ts";
import { areResponsesLogged } from "./rules.ts";
import type { InactiveReason, ORDERINGS } from "./webhook-schema.ts";
import type { FoundWebhook, WebhookRow } from "./store.ts";

function projectsOf({ project_ids }: Pick<WebhookRow, "project_ids">): string[] | null {
  return project_ids === null ? null : (JSON.parse(project_ids) as string[]);
}

/** Until when the previous secret signs too. */
export function overlapEnd({ previous_expires_at }: FoundWebhook, call: Pick<Call, "now">): number | null {
  return endAhead(previous_expires_at, call);
}

export function publicWebhook(row: FoundWebhook, call: Pick<Call, "now">) {
  const projectIds = projectsOf(row);
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    ownerId: row.owner_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(projectIds && { projectIds }),
    description: row.description,
    active: row.is_active === 1,
    inactiveReason: row.inactive_reason as InactiveReason | null,
    inactiveSince: row.inactive_since,
    failingSince: row.failing_since,
    ordering: row.ordering as (typeof ORDERINGS)[number],
    concurrency: row.concurrency,
    rateLimit: row.rate_limit,
    headerNames: JSON.parse(row.header_names) as string[],
    logResponses: areResponsesLogged(row),
    publicKey: row.public_key,
    previousSecretExpiresAt: overlapEnd(row, call),
  };
}

/** Clients look for the names of projects in the list. Projects of Reeve have no name but their id. */
export function projectsMetadata({ project_ids }: WebhookRow) {
  return projectsOf({ project_ids })?.map((id) => ({ id, name: id, framework: null })) ?? null;
}

/** The state that events record: everything that a call can set, and the names of headers without their values. */
export function webhookState(row: Omit<WebhookRow, "revision" | "position" | "created_at" | "updated_at">) {
  return {
    url: row.url,
    events: JSON.parse(row.events) as string[],
    projectIds: projectsOf(row),
    description: row.description,
    active: row.is_active === 1,
    inactiveReason: row.inactive_reason,
    ordering: row.ordering,
    concurrency: row.concurrency,
    rateLimit: row.rate_limit,
    headerNames: JSON.parse(row.header_names) as string[],
    logResponses: areResponsesLogged(row),
    publicKey: row.public_key,
  };
}

/** The public form of an event's payload. */
export function eventPayload({ id, url, events }: Pick<WebhookRow, "id" | "url" | "events">) {
  return { webhookUrl: url, webhookId: id, events: JSON.parse(events) as string[] };
}
