// Webhooks as responses and events show them.
import type { Static } from "typebox";
import type { Call } from "../../platform/kernel/contract.ts";
import { endAhead } from "../../platform/kernel/expiry.ts";
import { areResponsesLogged } from "./rules.ts";
import type { InactiveReason, NewWebhook, ORDERINGS, PublicWebhook } from "./webhook-schema.ts";
import type { FoundWebhook, WebhookRow } from "./store.ts";

function projectsOf({ projectIds }: Pick<WebhookRow, "projectIds">): string[] | null {
  return projectIds === null ? null : (JSON.parse(projectIds) as string[]);
}

/** Until when the previous secret signs too. */
export function overlapEnd({ previousExpiresAt }: FoundWebhook, call: Pick<Call, "now">): number | null {
  return endAhead(previousExpiresAt, call);
}

export function publicWebhook(row: FoundWebhook, call: Pick<Call, "now">): PublicWebhook {
  const projectIds = projectsOf(row);
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    ownerId: row.ownerId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(projectIds && { projectIds }),
    description: row.description,
    active: row.isActive === 1,
    inactiveReason: row.inactiveReason as InactiveReason | null,
    inactiveSince: row.inactiveSince,
    failingSince: row.failingSince,
    ordering: row.ordering as (typeof ORDERINGS)[number],
    concurrency: row.concurrency,
    rateLimit: row.rateLimit,
    headerNames: JSON.parse(row.headerNames) as string[],
    logResponses: areResponsesLogged(row),
    publicKey: row.publicKey,
    previousSecretExpiresAt: overlapEnd(row, call),
  };
}

/** Clients look for the names of projects in the list. Projects of Reeve have no name but their id. */
export function projectsMetadata({ projectIds }: WebhookRow) {
  return projectsOf({ projectIds })?.map((id) => ({ id, name: id, framework: null })) ?? null;
}

/** What a call can set; of headers the names alone. */
type Settable =
  | Exclude<keyof Static<typeof NewWebhook>, "headers" | "keyPair">
  | "headerNames"
  | "publicKey"
  | "active";

/** The state that events record. */
export function webhookState(row: Omit<WebhookRow, "revision" | "position" | "createdAt" | "updatedAt">) {
  return {
    url: row.url,
    events: JSON.parse(row.events) as string[],
    projectIds: projectsOf(row),
    description: row.description,
    active: row.isActive === 1,
    inactiveReason: row.inactiveReason,
    ordering: row.ordering,
    concurrency: row.concurrency,
    rateLimit: row.rateLimit,
    headerNames: JSON.parse(row.headerNames) as string[],
    logResponses: areResponsesLogged(row),
    publicKey: row.publicKey,
  } satisfies Readonly<Record<Settable | "inactiveReason", unknown>>;
}

/** The public form of an event's payload. */
export function eventPayload({ id, url, events }: Pick<WebhookRow, "id" | "url" | "events">) {
  return { webhookUrl: url, webhookId: id, events: JSON.parse(events) as string[] };
}
