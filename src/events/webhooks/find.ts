// Finds what a call names, or throws a 404.
import type { Call } from "../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findDelivery } from "../queue/log-store.ts";
import type { DeliveryRow } from "../queue/log-store.ts";
import { sequenceOf } from "./message-id.ts";
import { findReplay } from "../queue/replay-store.ts";
import type { ReplayRow } from "../queue/replay-store.ts";
import { findWebhook } from "./store.ts";
import type { FoundWebhook } from "./store.ts";

/** `about` is what a refusal says besides. */
export async function getWebhook(
  tx: Tx,
  { scope }: Pick<Call, "scope">,
  id: string,
  about: Readonly<Record<string, string>> = {},
): Promise<FoundWebhook> {
  const row = await findWebhook(tx, { ownerId: scope.ownerId, id });
  if (!row) throw notFound("Webhook", about);
  return row;
}

export async function getDelivery(tx: Tx, { id: webhookId, ownerId }: FoundWebhook, id: string): Promise<DeliveryRow> {
  const sequence = sequenceOf(webhookId, id);
  const row = sequence === undefined ? undefined : await findDelivery(tx, { ownerId, webhookId, sequence });
  if (!row) throw notFound("Delivery");
  return row;
}

export async function getReplay(tx: Tx, { id: webhookId, ownerId }: FoundWebhook, id: string): Promise<ReplayRow> {
  const row = await findReplay(tx, { ownerId, webhookId, id });
  if (!row) throw notFound("Replay");
  return row;
}

/** Refuses calls whose effect would wait until the webhook is active. */
export function requireActive({ isActive, inactiveReason }: FoundWebhook): void {
  if (isActive === 1) return;
  throw new ApiError("webhook_inactive", "The webhook is inactive; activate it first, with `active: true`", {
    inactiveReason: inactiveReason,
  });
}
