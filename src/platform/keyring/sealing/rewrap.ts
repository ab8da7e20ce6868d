// Rewraps data keys of older master keys under the active one, in batches of one transaction each. Each batch returns where
// the next one begins, so a value that cannot be rewrapped does not block others.
import { UnreadableError } from "../../kernel/keyring.ts";
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { activeKeyId } from "./active-key.ts";
import type { SealedValue, SealedValueName, SealedValues } from "./sealed-values.ts";

const BATCH = 500;

export interface RewrapReport {
  readonly rewrapped: number;
  /** Values that cannot be unsealed; they keep their key. */
  readonly failed: readonly SealedValue[];
  /** The last value of the batch, after which the next one begins; null after the last batch. */
  readonly last: SealedValueName | null;
}

/** Rewraps the next values of `keyId`. The active key does not change until the transaction ends. */
export async function rewrapBatch(
  tx: Tx,
  keyring: Keyring,
  values: SealedValues,
  keyId: string,
  after: SealedValueName,
): Promise<RewrapReport> {
  const active = await activeKeyId(tx);
  if (active === null || active === keyId) return { rewrapped: 0, failed: [], last: null };
  const batch = await values.listWrapped(tx, keyId, after, BATCH);
  const failed: SealedValue[] = [];
  let rewrapped = 0;
  for (const value of batch) {
    try {
      if (await values.replaceKey(tx, value, keyring.rewrap(value, value.context, active))) rewrapped++;
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      failed.push(value);
    }
  }
  return { rewrapped, failed, last: batch.length < BATCH ? null : (batch.at(-1) ?? null) };
}
