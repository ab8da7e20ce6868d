// The id of a delivery, which is `webhook-id` on the wire and the same for all its attempts. It contains the webhook and the event,
// so finding a delivery needs neither a column nor an index.

const WEBHOOK_PREFIX = "account_hook_";
const SEQUENCE = /^[1-9]\d{0,15}$/;

function prefixOf(webhookId: string): string {
  return `msg_${webhookId.slice(WEBHOOK_PREFIX.length)}_`;
}

export function messageId(webhookId: string, sequence: number): string {
  return `${prefixOf(webhookId)}${sequence}`;
}

/** The sequence of a delivery's event; undefined when the id is not one of a delivery of the webhook. */
export function sequenceOf(webhookId: string, deliveryId: string): number | undefined {
  const prefix = prefixOf(webhookId);
  const digits = deliveryId.slice(prefix.length);
  if (!deliveryId.startsWith(prefix) || !SEQUENCE.test(digits)) return undefined;
  const sequence = Number(digits);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}
