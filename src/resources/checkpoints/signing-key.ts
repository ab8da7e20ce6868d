// The key that signs this instance's checkpoints: made when it is first needed, its private half sealed like a secret, so
// that nobody signs who has the database alone.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { UnreadableError } from "../../kernel/keyring.ts";
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { seal, unseal } from "../master-keys/seal.ts";
import { sealingContext } from "./sealed-signing-keys.ts";
import { keyIdOf, publicKeyText } from "./signature.ts";
import { findActive, insertActive } from "./signing-key-store.ts";

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type SigningKeyRow = NonNullable<Awaited<ReturnType<typeof findActive>>>;

/**
 * The key of a row; throws an UnreadableError when its private half does not open or is that of another key, as when
 * somebody put it there who lacks the master key.
 */
export function openSigningKey(keyring: Keyring, row: SigningKeyRow): SigningKey {
  const { id, key_id: keyId, wrapped_key: wrappedKey, ciphertext } = row;
  const der = unseal(keyring, { keyId, wrappedKey, ciphertext }, sealingContext(id));
  try {
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const publicKey = createPublicKey(privateKey);
    if (keyIdOf(publicKey) !== id || publicKeyText(publicKey) !== row.public_key) {
      throw new UnreadableError("the private half belongs to another public key");
    }
    return { id, privateKey, publicKey };
  } finally {
    der.fill(0);
  }
}

/** Makes a key the one that signs; there must be none. */
export async function makeSigningKey(tx: Tx, keyring: Keyring, now: number): Promise<SigningKey> {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const id = keyIdOf(publicKey);
  const der = privateKey.export({ format: "der", type: "pkcs8" });
  try {
    const sealed = await seal(tx, keyring, der, sealingContext(id));
    await insertActive(tx, { id, publicKey: publicKeyText(publicKey), now, ...sealed });
  } finally {
    der.fill(0);
  }
  return { id, privateKey, publicKey };
}

/** The key that signs, a new one when there is none yet. */
export async function getSigningKey(tx: Tx, keyring: Keyring, now: number): Promise<SigningKey> {
  const row = await findActive(tx, {});
  return row ? openSigningKey(keyring, row) : await makeSigningKey(tx, keyring, now);
}
