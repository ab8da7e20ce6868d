// Unseals all sealed values, to verify the master keys of a backup.
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { SEALED_VALUES } from "./key-use.ts";
import type { SealedValue, SealedValueName, SealedValues } from "../../platform/keyring/sealing/sealed-values.ts";

const BATCH_SIZE = 200;

export interface Opened {
  readonly opened: number;
  /** Values that do not open although the keyring has their master key. */
  readonly unreadable: number;
  readonly withoutKey: number;
}

async function opens(tx: Tx, keyring: Keyring, values: SealedValues, value: SealedValue): Promise<boolean> {
  const ciphertext = await values.findCiphertext(tx, value);
  if (!ciphertext) return false;
  try {
    keyring.unseal({ ...value, ciphertext }, value.context).fill(0);
    return true;
  } catch (error) {
    if (error instanceof UnreadableError) return false;
    throw error;
  }
}

/** The store must not change meanwhile. */
export async function openAll(tx: Tx, keyring: Keyring): Promise<Opened> {
  const present = new Set(keyring.keyIds());
  let opened = 0;
  let unreadable = 0;
  let withoutKey = 0;
  for (const values of SEALED_VALUES) {
    for (const keyId of await values.listKeys(tx)) {
      if (!present.has(keyId)) {
        withoutKey += await values.count(tx, keyId);
        continue;
      }
      let after: SealedValueName | undefined = { id: "", version: 0 };
      while (after) {
        const batch: readonly SealedValue[] = await values.listWrapped(tx, keyId, after, BATCH_SIZE);
        for (const value of batch) {
          if (await opens(tx, keyring, values, value)) opened++;
          else unreadable++;
        }
        after = batch.at(-1);
      }
    }
  }
  return { opened, unreadable, withoutKey };
}
