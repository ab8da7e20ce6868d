// Finding what a call names, or answering that it is not there.
import type { Call } from "../../kernel/contract.ts";
import { notFound } from "../../kernel/errors.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findDelivery } from "./delivery-log-store.ts";
import type { DeliveryRow } from "./delivery-log-store.ts";
import { sequenceOf } from "./message-id.ts";
import { findWebhook } from "./store.ts";
import type { FoundWebhook } from "./store.ts";

export async function getWebhook(tx: Tx, { scope }: Pick<Call, "scope">, id: string): Promise<FoundWebhook> {
  const row = await findWebhook(tx, { ownerId: scope.ownerId, id });
  if (!row) throw notFound("Webhook");
  return row;
}

export async function getDelivery(
  tx: Tx,
  { id: webhookId, owner_id: ownerId }: FoundWebhook,
  id: string,
): Promise<DeliveryRow> {
  const sequence = sequenceOf(webhookId, id);
  const row = sequence === undefined ? undefined : await findDelivery(tx, { ownerId, webhookId, sequence });
  if (!row) throw notFound("Delivery");
  return row;
}
