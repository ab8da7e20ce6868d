// Which checkpoints are to be believed: those that a trusted key has signed.
import type { KeyObject } from "node:crypto";
import { ApiError } from "../../kernel/errors.ts";
import { UnreadableError } from "../../kernel/keyring.ts";
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { isSignedBy, keyIdOf, readPublicKey } from "./signature-rules.ts";
import type { Checkpoint } from "./signature-rules.ts";
import { openSigningKey } from "./signing-key.ts";
import { listKeys } from "./signing-key-store.ts";

/** Says why a checkpoint is not to be believed; null: it is genuine. */
export type Trust = (checkpoint: Checkpoint) => string | null;

/** Believes what one of these keys has signed; `strange` says what any other key is. */
export function trustKeys(keys: readonly KeyObject[], strange: string): Trust {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  return (checkpoint) => {
    const key = byId.get(checkpoint.keyId);
    if (!key) return `it has a checkpoint by ${checkpoint.keyId}, which is ${strange}`;
    return isSignedBy(key, checkpoint) ? null : "its checkpoint does not fit its signature";
  };
}

export interface StoreKey {
  readonly id: string;
  readonly publicKey: KeyObject;
  /** Its private half opens with the master key, so nobody put it there who had the database alone. */
  readonly isProven: boolean;
}

/** Whether the private half proves the key; null when the keyring lacks the master key. */
function proves(keyring: Keyring, row: Parameters<typeof openSigningKey>[1]): boolean | null {
  try {
    openSigningKey(keyring, row);
    return true;
  } catch (error) {
    if (error instanceof UnreadableError) return false;
    if (error instanceof ApiError && error.code === "master_key_missing") return null;
    throw error;
  }
}

/** The signing keys of a store, without those that are visibly wrong. */
export async function readStoreKeys(tx: Tx, keyring: Keyring | null): Promise<readonly StoreKey[]> {
  const keys: StoreKey[] = [];
  for (const row of await listKeys(tx, {})) {
    const publicKey = readPublicKey(row.public_key);
    if (!publicKey || keyIdOf(publicKey) !== row.id) continue;
    const isProven = keyring && proves(keyring, row);
    if (isProven !== false) keys.push({ id: row.id, publicKey, isProven: isProven === true });
  }
  return keys;
}
