// Seals and unseals values for the resources that store secrets, always under the master key that is active in the database.
// So all servers switch to another key with the same commit.
import { ApiError } from "../../kernel/errors.ts";
import { MissingKeyError } from "../../kernel/keyring.ts";
import type { Keyring, Sealed } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findActiveKey } from "./store.ts";

/** Makes a missing master key an error of the server, not of the request: another server has activated or used that key. */
export function explainMissing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MissingKeyError)) throw error;
    throw new ApiError(
      "master_key_missing",
      `This server lacks the master key ${error.keyId}: its operator has to add it to the keyring`,
      { keyId: error.keyId },
    );
  }
}

/** Seals a value for the owner, id and version that `context` names. The caller wipes the plaintext. */
export async function seal(tx: Tx, keyring: Keyring, plaintext: Uint8Array, context: string): Promise<Sealed> {
  const active = await findActiveKey(tx, {});
  if (!active) throw new Error("no master key is active");
  return explainMissing(() => keyring.seal(plaintext, context, active.keyId));
}

/** Returns the plaintext, which the caller wipes. Throws an UnreadableError when the value was tampered with. */
export function unseal(keyring: Keyring, sealed: Sealed, context: string): Buffer {
  return explainMissing(() => keyring.unseal(sealed, context));
}
