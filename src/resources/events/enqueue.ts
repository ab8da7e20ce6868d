// Queues an event for the webhooks of its owner, in the event's own transaction: a delivery exists if and only if its event
// does. This is the only thing that events know of webhooks; sending is up to `delivery/`.
import type { Tx } from "../../kernel/tx.ts";
import { insertDeliveries, listSubscriptions, wakeQueues as wakeAll } from "./enqueue-store.ts";
import { ParseCache } from "./parse-cache.ts";
import { compileSubscription } from "./subscription.ts";

/** What an event shows to those who subscribed. */
export interface RecordedEvent {
  readonly ownerId: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly projectId: string | null;
  readonly createdAt: number;
}

// By the texts that are stored, so that nothing else has to say when one has changed.
const subscriptions = new ParseCache((events) => compileSubscription(JSON.parse(events) as string[]));
const projects = new ParseCache((ids) => new Set(JSON.parse(ids) as string[]));

/** Has the queues of these webhooks looked at by `now`. */
export async function wakeQueues(tx: Tx, webhookIds: readonly string[], now: number): Promise<void> {
  await wakeAll(tx, { webhookIds: JSON.stringify(webhookIds), now });
}

type Subscription = Awaited<ReturnType<typeof listSubscriptions>>[number];

function isWanted({ events, project_ids }: Subscription, { type, projectId }: RecordedEvent): boolean {
  if (project_ids !== null && (projectId === null || !projects.get(project_ids).has(projectId))) return false;
  return subscriptions.get(events)(type);
}

/** Queues the event for each webhook of its owner that wants it; one that is switched off keeps it as skipped. */
export async function enqueueDeliveries(tx: Tx, occurrence: RecordedEvent, now: number): Promise<void> {
  const { ownerId, sequence, id: eventId, type, createdAt } = occurrence;
  const wanting = (await listSubscriptions(tx, { ownerId })).filter((webhook) => isWanted(webhook, occurrence));
  if (wanting.length === 0) return;
  const targets = wanting.map(({ id, is_active }) =>
    is_active === 1 ? { id, state: "pending", dueAt: now } : { id, state: "skipped", dueAt: null },
  );
  await insertDeliveries(tx, { targets: JSON.stringify(targets), ownerId, sequence, eventId, type, createdAt });
  const active = wanting.filter(({ is_active }) => is_active === 1).map(({ id }) => id);
  if (active.length > 0) await wakeQueues(tx, active, now);
}
