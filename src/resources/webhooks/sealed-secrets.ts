// What webhooks seal, as values that master keys wrap, for starting, rotating and retiring.
import type { SealedValues } from "../master-keys/sealed-values.ts";
import {
  countSecretsUnder,
  findCiphertext,
  listSecretsUnder,
  listUsedKeys,
  replaceSecretKey,
} from "./sealed-secrets-store.ts";
import { placeOf } from "./secrets.ts";

export const sealedWebhookSecrets: SealedValues = {
  kind: "webhook secret",
  listKeys: async (tx) => (await listUsedKeys(tx, {})).map(({ key_id }) => key_id),
  count: async (tx, keyId) => (await countSecretsUnder(tx, { keyId }))?.secrets ?? 0,
  listWrapped: async (tx, keyId, after, limit) => {
    const rows = await listSecretsUnder(tx, { keyId, afterId: after.id, afterVersion: after.version, limit });
    return rows.map(({ owner_id: ownerId, webhook_id: id, version, wrapped_key: wrappedKey }) => ({
      ownerId,
      id,
      version,
      wrappedKey,
      keyId,
      place: placeOf(ownerId, id, version),
    }));
  },
  findCiphertext: async (tx, { id: webhookId, version }) =>
    (await findCiphertext(tx, { webhookId, version }))?.ciphertext,
  replaceKey: async (tx, { ownerId, id, version, keyId: previousKeyId }, { wrappedKey, keyId }) =>
    (await replaceSecretKey(tx, { ownerId, webhookId: id, version, previousKeyId, keyId, wrappedKey })) > 0,
};
