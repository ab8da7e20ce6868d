// The rows of a table as sealed values, for the checks at start and for rotating and retiring master keys.
import { prepareSealedRows } from "./sealed-rows-store.ts";
import type { SealedTable } from "./sealed-rows-store.ts";
import type { SealedValues } from "./sealed-values.ts";

interface SealedRows {
  /** The name of such a value in messages. */
  readonly kind: string;
  /** The prefix of the statements' names. */
  readonly name: string;
  readonly rows: SealedTable;
  /** The owner, id and version that a value is sealed for, as text. */
  sealingContext(ownerId: string, id: string, version: number): string;
}

export function sealedRows({ kind, name, rows, sealingContext }: SealedRows): SealedValues {
  const { listKeys, count, countUpTo, list, findCiphertext, replaceKey } = prepareSealedRows(name, rows);
  return {
    kind,
    listKeys: async (tx) => (await listKeys(tx, {})).map(({ keyId }) => keyId),
    count: async (tx, keyId) => (await count(tx, { keyId }))?.rows ?? 0,
    countUpTo: async (tx, keyId, limit) => (await countUpTo(tx, { keyId, limit }))?.rows ?? 0,
    listWrapped: async (tx, keyId, after, limit) => {
      const found = await list(tx, { keyId, afterId: after.id, afterVersion: after.version, limit });
      return found.map((row) => ({ ...row, keyId, context: sealingContext(row.ownerId, row.id, row.version) }));
    },
    findCiphertext: async (tx, { id, version }) => (await findCiphertext(tx, { id, version }))?.ciphertext,
    replaceKey: async (tx, { ownerId, id, version, keyId: previousKeyId }, { wrappedKey, keyId }) =>
      (await replaceKey(tx, { ownerId, id, version, previousKeyId, keyId, wrappedKey })) > 0,
  };
}
