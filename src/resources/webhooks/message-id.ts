// The id of a delivery, which is `webhook-id` on the wire: the same over all its attempts. It names the webhook and the
// event, so neither a column nor an index is needed to find it.

const WEBHOOK_PREFIX = "account_hook_";

export function messageId(webhookId: string, sequence: number): string {
  return `msg_${webhookId.slice(WEBHOOK_PREFIX.length)}_${sequence}`;
}
