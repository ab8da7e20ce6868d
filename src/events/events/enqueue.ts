// Queues an event for its owner's webhooks in the event's own transaction, so a delivery is committed if and only if its event
// is. This is all that the event resource does for webhooks; `events/delivery/` sends.
import { TEST_NAME } from "../../platform/kernel/clients/public-webhook-names.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { insertDeliveries, listSubscriptions, wakeQueues as wakeAll } from "./enqueue-store.ts";
import { compileSubscription } from "./subscription.ts";

/** What subscriptions and deliveries need of an event. */
export interface RecordedEvent {
  readonly ownerId: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly projectId: string | null;
  readonly createdAt: number;
}

/** The parsed values take a few times as many bytes. */
const MAX_CHARACTERS = 4 * 1_024 * 1_024;

/** Parsed texts of the store. Callers choose the texts, so their length is bounded. */
export class ParseCache<T> {
  readonly #parse: (text: string) => T;
  readonly #maxCharacters: number;
  readonly #values = new Map<string, T>();
  #characters = 0;

  constructor(parse: (text: string) => T, maxCharacters = MAX_CHARACTERS) {
    this.#parse = parse;
    this.#maxCharacters = maxCharacters;
  }

  get(text: string): T {
    const cached = this.#values.get(text);
    if (cached !== undefined) return cached;
    const parsed = this.#parse(text);
    this.#characters += text.length;
    // Values in use are parsed again at their next use.
    if (this.#characters > this.#maxCharacters) {
      this.#values.clear();
      this.#characters = text.length;
    }
    this.#values.set(text, parsed);
    return parsed;
  }
}

// The stored text is the cache key, so a changed subscription needs no invalidation.
const subscriptions = new ParseCache((events) => compileSubscription(JSON.parse(events) as string[]));
const projects = new ParseCache((ids) => new Set(JSON.parse(ids) as string[]));

/** Makes the queues of these webhooks due at `now` or earlier. */
export async function wakeQueues(tx: Tx, webhookIds: readonly string[], now: number): Promise<void> {
  await wakeAll(tx, { webhookIds: JSON.stringify(webhookIds), now });
}

type Subscription = Awaited<ReturnType<typeof listSubscriptions>>[number];

function isSubscribed({ events, projectIds }: Subscription, { type, projectId }: RecordedEvent): boolean {
  if (projectIds !== null && (projectId === null || !projects.get(projectIds).has(projectId))) return false;
  return subscriptions.get(events)(type);
}

/**
 * Queues the event for each subscribed webhook of its owner. For a disabled webhook it stores a skipped delivery. The delivery of a
 * test is never due: the request that asks for the test sends it.
 */
export async function enqueueDeliveries(tx: Tx, event: RecordedEvent, now: number, tested?: string): Promise<void> {
  const { ownerId, sequence, id: eventId, type, createdAt } = event;
  if (tested !== undefined) {
    const targets = JSON.stringify([{ id: tested, state: "pending", dueAt: null }]);
    await insertDeliveries(tx, { targets, ownerId, sequence, eventId, type: TEST_NAME, createdAt });
  }
  const subscribed = (await listSubscriptions(tx, { ownerId })).filter(
    (webhook) => webhook.id !== tested && isSubscribed(webhook, event),
  );
  if (subscribed.length === 0) return;
  const targets = subscribed.map(({ id, isActive }) =>
    isActive === 1 ? { id, state: "pending", dueAt: now } : { id, state: "skipped", dueAt: null },
  );
  await insertDeliveries(tx, { targets: JSON.stringify(targets), ownerId, sequence, eventId, type, createdAt });
  const active = subscribed.filter(({ isActive }) => isActive === 1).map(({ id }) => id);
  if (active.length > 0) await wakeQueues(tx, active, now);
}
