// Which master keys the store needs, and for how much. Every slice that seals values has its entry here.
import type { Tx } from "../../kernel/tx.ts";
import { sealedSigningKeys } from "../checkpoints/sealed-signing-keys.ts";
import { sealedVersions } from "../secrets/versions/sealed-versions.ts";
import { sealedWebhookSecrets } from "../webhooks/sealed-secrets.ts";
import type { SealedValues } from "./sealed-values.ts";
import { findActiveKey } from "./store.ts";

export const SEALED_VALUES: readonly SealedValues[] = [sealedVersions, sealedWebhookSecrets, sealedSigningKeys];

/** Id of the active master key; null in a store that has never sealed anything. */
export async function activeKeyId(tx: Tx): Promise<string | null> {
  return (await findActiveKey(tx, {}))?.key_id ?? null;
}

/** Ids of the master keys that the store needs, the active one first. */
export async function neededKeys(tx: Tx): Promise<readonly string[]> {
  const active = await activeKeyId(tx);
  const needed = new Set(active === null ? [] : [active]);
  for (const values of SEALED_VALUES) for (const id of await values.listKeys(tx)) needed.add(id);
  return [...needed];
}

/** How many stored values a master key wraps. */
export async function countValues(tx: Tx, keyId: string): Promise<number> {
  let count = 0;
  for (const values of SEALED_VALUES) count += await values.count(tx, keyId);
  return count;
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
