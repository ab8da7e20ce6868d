// Sealing for the slices that keep secrets: always under the master key that is active in the database, so that all
// servers change over at the same moment.
import { ApiError } from "../../kernel/errors.ts";
import { MissingKeyError } from "../../kernel/keyring.ts";
import type { Keyring, Sealed } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findActiveKey } from "./store.ts";

/** A key that was activated or used by another server is a fault of operation, not of the request. */
function explainMissing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MissingKeyError)) throw error;
    throw new ApiError(
      "master_key_missing",
      `This server lacks the master key ${error.keyId}: its operator has to add it to the keyring`,
      { keyId: error.keyId },
    );
  }
}

/** Seals a value for the place that `context` names. The plaintext stays the caller's, to be wiped. */
export async function seal(tx: Tx, keyring: Keyring, plaintext: Uint8Array, context: string): Promise<Sealed> {
  const active = await findActiveKey(tx, {});
  if (!active) throw new Error("no master key is active");
  return explainMissing(() => keyring.seal(plaintext, context, active.key_id));
}

/** The plaintext, for the caller to wipe; throws an UnreadableError for what was tampered with. */
export function unseal(keyring: Keyring, sealed: Sealed, context: string): Buffer {
  return explainMissing(() => keyring.unseal(sealed, context));
}
