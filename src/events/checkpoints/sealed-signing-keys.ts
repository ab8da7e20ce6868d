// The private halves of signing keys as sealed values, for the checks at start and for rotating and retiring master keys.
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import type { SealedValues } from "../../platform/keyring/sealing/sealed-values.ts";
import { countUnder, findCiphertext, listUnder, listUsedKeys, replaceKey } from "./signing-key-store.ts";

/** A private key is never overwritten, so each has one version. */
const VERSION = 1;

export function sealingContext(id: string): string {
  return `signing-key|${id}`;
}

export const sealedSigningKeys: SealedValues = {
  kind: "signing key",
  listKeys: async (tx) => (await listUsedKeys(tx, {})).map(({ keyId }) => keyId),
  count: async (tx, keyId) => (await countUnder(tx, { keyId }))?.keys ?? 0,
  // There are a few of them, one for each that was retired.
  countUpTo: async (tx, keyId, limit) => Math.min(limit, (await countUnder(tx, { keyId }))?.keys ?? 0),
  listWrapped: async (tx, keyId, after, limit) => {
    const rows = await listUnder(tx, { keyId, afterId: after.id, limit });
    return rows.map(({ id, wrappedKey }) => ({
      ownerId: INSTANCE_ID,
      id,
      version: VERSION,
      wrappedKey,
      keyId,
      context: sealingContext(id),
    }));
  },
  findCiphertext: async (tx, { id }) => (await findCiphertext(tx, { id }))?.ciphertext,
  replaceKey: async (tx, { id, keyId: previousKeyId }, { wrappedKey, keyId }) =>
    (await replaceKey(tx, { id, previousKeyId, keyId, wrappedKey })) > 0,
};
