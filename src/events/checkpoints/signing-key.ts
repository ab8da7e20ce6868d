// The key that signs this instance's checkpoints. It is made when it is first needed, and its private half is sealed like a
// secret, so the database alone does not suffice to sign.
import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { INSTANCE_ID } from "../../platform/kernel/caller.ts";
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../events/emit.ts";
import type { EventContext } from "../events/emit.ts";
import { seal, unseal } from "../../platform/keyring/sealing/seal.ts";
import { sealingContext } from "./sealed-signing-keys.ts";
import { keyIdOf, publicKeyText } from "./signature.ts";
import { findActive, insertActive, retireActive } from "./signing-key-store.ts";

export interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export type SigningKeyRow = NonNullable<Awaited<ReturnType<typeof findActive>>>;

/**
 * Opens the key of a row. Throws an UnreadableError when the private half cannot be unsealed or belongs to another public key, as
 * after an insert without the master key.
 */
export function openSigningKey(keyring: Keyring, row: SigningKeyRow): SigningKey {
  const { id, keyId, wrappedKey, ciphertext } = row;
  const der = unseal(keyring, { keyId, wrappedKey, ciphertext }, sealingContext(id));
  try {
    const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const publicKey = createPublicKey(privateKey);
    if (keyIdOf(publicKey) !== id || publicKeyText(publicKey) !== row.publicKey) {
      throw new UnreadableError("the private half belongs to another public key");
    }
    return { id, privateKey, publicKey };
  } finally {
    der.fill(0);
  }
}

/** Makes the active signing key; there must be none. */
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

/** The active signing key; makes it when there is none. */
export async function getSigningKey(tx: Tx, keyring: Keyring, now: number): Promise<SigningKey> {
  const row = await findActive(tx, {});
  return row ? openSigningKey(keyring, row) : await makeSigningKey(tx, keyring, now);
}

/** Replaces the signing key, for example after a leak of its private half. Checkpoints by the former key stay valid. */
export async function replaceSigningKey(tx: Tx, keyring: Keyring, act: EventContext): Promise<void> {
  await lockOwner(tx, INSTANCE_ID);
  const previousKeyId = (await findActive(tx, {}))?.id ?? null;
  await retireActive(tx, { now: act.now });
  const { id: keyId } = await makeSigningKey(tx, keyring, act.now);
  await emit(tx, act, {
    type: "signing-key-replace",
    ownerId: INSTANCE_ID,
    entityId: keyId,
    text: `made ${keyId} the key that signs checkpoints`,
    payload: { keyId, previousKeyId },
    previous: { keyId: previousKeyId },
    next: { keyId },
  });
}
