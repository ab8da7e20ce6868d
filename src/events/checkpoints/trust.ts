// Decides which checkpoints are genuine: those that a trusted key has signed.
import type { KeyObject } from "node:crypto";
import { ApiError } from "../../platform/kernel/errors.ts";
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { Distrust, Trust } from "../events/checkpoint-schema.ts";
import { isSignedBy, keyIdOf, publicKeyText, readPublicKey } from "./signature.ts";
import { openSigningKey } from "./signing-key.ts";
import type { SigningKeyRow } from "./signing-key.ts";
import { listKeys } from "./signing-key-store.ts";

/** A public key in the form in which people compare keys. */
export function describeKey(key: KeyObject): { readonly id: string; readonly publicKey: string } {
  return { id: keyIdOf(key), publicKey: publicKeyText(key) };
}

const forged = (reason: string): Distrust => ({ kind: "forged", reason });

/** Trusts checkpoints by one of these keys; `otherKey` describes any other key in the reason. */
export function trustKeys(keys: readonly KeyObject[], otherKey: string): Trust {
  const byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  return (checkpoint) => {
    const key = byId.get(checkpoint.keyId);
    if (!key) return forged(`it has a checkpoint by ${checkpoint.keyId}, which is ${otherKey}`);
    return isSignedBy(key, checkpoint) ? null : forged("its checkpoint does not fit its signature");
  };
}

export interface StoreKey {
  readonly id: string;
  readonly publicKey: KeyObject;
  /**
   * `proven`: the master key unseals its private half, so access to the database alone could not insert it. `claimed`: this
   * process lacks the master key. `wrong`: the private half cannot be unsealed, or the members of the row contradict each other.
   */
  readonly status: "proven" | "claimed" | "wrong";
}

function statusOf(keyring: Keyring | null, row: SigningKeyRow): StoreKey["status"] {
  try {
    if (!keyring) return "claimed";
    openSigningKey(keyring, row);
    return "proven";
  } catch (error) {
    if (error instanceof UnreadableError) return "wrong";
    if (error instanceof ApiError && error.code === "master_key_missing") return "claimed";
    throw error;
  }
}

/** The signing keys of a store, without rows whose public key cannot be parsed. */
export async function readStoreKeys(tx: Tx, keyring: Keyring | null): Promise<readonly StoreKey[]> {
  return (await listKeys(tx, {})).flatMap((row): StoreKey[] => {
    const publicKey = readPublicKey(row.publicKey);
    if (!publicKey) return [];
    const hasOwnId = keyIdOf(publicKey) === row.id;
    return [{ id: row.id, publicKey, status: hasOwnId ? statusOf(keyring, row) : "wrong" }];
  });
}

/**
 * Trusts the keys of a store except those that are wrong. A checkpoint where a chain was pruned takes the place of events, so a key that is
 * only claimed does not suffice for it: who can write to the database can claim any.
 */
export function trustStoreKeys(keys: readonly StoreKey[]): Trust {
  const statuses = new Map(keys.map(({ id, status }) => [id, status]));
  const trusted = keys.filter(({ status }) => status !== "wrong").map(({ publicKey }) => publicKey);
  const trust = trustKeys(trusted, "no key of this store");
  return (checkpoint) => {
    const { keyId, reason } = checkpoint;
    const status = statuses.get(keyId);
    if (status === "wrong") {
      return forged(`it has a checkpoint by ${keyId}, a key that was changed, or put there without the master key`);
    }
    const distrust = trust(checkpoint);
    if (distrust || reason !== "prune" || status === "proven") return distrust;
    const proof = "give that public key with --public-key, or the master key that seals its private half";
    return { kind: "unproven", reason: `the events up to it were removed, and nothing here proves ${keyId}: ${proof}` };
  };
}
