// Definitions that the queue, the log and the API's contract share.

/** Names a webhook in statements, with its owner. */
export interface WebhookKey {
  readonly ownerId: string;
  readonly webhookId: string;
}

export const DELIVERY_STATES = ["pending", "delivered", "failed", "skipped"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** Attempts that are kept of one delivery; older ones are deleted. */
export const KEPT_ATTEMPTS = 50;
