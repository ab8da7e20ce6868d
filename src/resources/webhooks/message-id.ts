// The id of a delivery, which is `webhook-id` on the wire: the same over all its attempts. It names the webhook and the
// event, so neither a column nor an index is needed to find it.

const WEBHOOK_PREFIX = "account_hook_";
const SEQUENCE = /^[1-9]\d{0,15}$/;

function prefixOf(webhookId: string): string {
  return `msg_${webhookId.slice(WEBHOOK_PREFIX.length)}_`;
}

export function messageId(webhookId: string, sequence: number): string {
  return `${prefixOf(webhookId)}${sequence}`;
}

/** Of the event that a delivery of the webhook is about; undefined when that is no id of one. */
export function sequenceOf(webhookId: string, deliveryId: string): number | undefined {
  const prefix = prefixOf(webhookId);
  const digits = deliveryId.slice(prefix.length);
  if (!deliveryId.startsWith(prefix) || !SEQUENCE.test(digits)) return undefined;
  const sequence = Number(digits);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}
