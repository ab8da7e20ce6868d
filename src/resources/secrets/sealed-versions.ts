// The versions of secrets as values that master keys seal, for starting, rotating and retiring.
import type { SealedValues } from "../master-keys/sealed-values.ts";
import {
  countVersionsUnder,
  findCiphertext,
  listUsedKeys,
  listVersionsUnder,
  replaceVersionKey,
} from "./sealed-versions-store.ts";
import { placeOf } from "./value.ts";

export const sealedVersions: SealedValues = {
  kind: "secret",
  listKeys: async (tx) => (await listUsedKeys(tx, {})).map(({ key_id }) => key_id),
  count: async (tx, keyId) => (await countVersionsUnder(tx, { keyId }))?.versions ?? 0,
  listWrapped: async (tx, keyId, after, limit) => {
    const rows = await listVersionsUnder(tx, { keyId, afterId: after.id, afterVersion: after.version, limit });
    return rows.map(({ owner_id: ownerId, secret_id: id, version, wrapped_key: wrappedKey }) => ({
      ownerId,
      id,
      version,
      wrappedKey,
      keyId,
      place: placeOf(ownerId, id, version),
    }));
  },
  findCiphertext: async (tx, { id: secretId, version }) =>
    (await findCiphertext(tx, { secretId, version }))?.ciphertext,
  replaceKey: async (tx, { ownerId, id, version, keyId: previousKeyId }, { wrappedKey, keyId }) =>
    (await replaceVersionKey(tx, { ownerId, secretId: id, version, previousKeyId, keyId, wrappedKey })) > 0,
};
