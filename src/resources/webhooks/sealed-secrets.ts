// What webhooks seal, for those who look after the master keys.
import { sealedRows } from "../master-keys/sealed-rows.ts";
import { sealingContext } from "./secrets.ts";

export const sealedWebhookSecrets = sealedRows({
  kind: "webhook secret",
  name: "webhookSecretKeys",
  rows: { table: "webhook_secrets", belongsTo: "webhook_id" },
  sealingContext,
});
