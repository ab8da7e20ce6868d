// Which master keys the store needs, and for how much. Every resource that seals values has its entry here.
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { sealedSigningKeys } from "../../events/checkpoints/sealed-signing-keys.ts";
import { sealedVersions } from "../../secrets/secrets/value.ts";
import { sealedWebhookSecrets } from "../../events/webhooks/secrets.ts";
import type { SealedValues } from "../../platform/keyring/sealing/sealed-values.ts";
import { activeKeyId } from "../../platform/keyring/sealing/active-key.ts";

export const SEALED_VALUES: readonly SealedValues[] = [sealedVersions, sealedWebhookSecrets, sealedSigningKeys];

/** Ids of the master keys that the store needs, the active one first. */
export async function neededKeys(tx: Tx): Promise<readonly string[]> {
  const active = await activeKeyId(tx);
  const needed = new Set(active === null ? [] : [active]);
  for (const values of SEALED_VALUES) for (const id of await values.listKeys(tx)) needed.add(id);
  return [...needed];
}

/** Ids of the master keys that the store needs and the keyring lacks, the active one first. */
export async function missingKeys(tx: Tx, keyring: Pick<Keyring, "keyIds">): Promise<readonly string[]> {
  // In this order: the first key is in its file before the store names it.
  const needed = await neededKeys(tx);
  const present = new Set(keyring.keyIds());
  return needed.filter((id) => !present.has(id));
}

/** How many stored values a master key wraps. */
export async function countValues(tx: Tx, keyId: string): Promise<number> {
  let count = 0;
  for (const values of SEALED_VALUES) count += await values.count(tx, keyId);
  return count;
}

/** How many stored values are under other master keys than the active one, up to a limit. */
export async function countBehind(tx: Tx, limit: number): Promise<number> {
  const active = await activeKeyId(tx);
  let behind = 0;
  for (const values of SEALED_VALUES) {
    for (const keyId of await values.listKeys(tx)) {
      if (keyId !== active && behind < limit) behind += await values.countUpTo(tx, keyId, limit - behind);
    }
  }
  return behind;
}

export interface KeyUse {
  readonly id: string;
  /** How many stored values it wraps. */
  readonly values: number;
}

/** Every master key that the store needs, the active one first. */
export async function listKeyUse(tx: Tx): Promise<readonly KeyUse[]> {
  const uses: KeyUse[] = [];
  for (const id of await neededKeys(tx)) uses.push({ id, values: await countValues(tx, id) });
  return uses;
}
