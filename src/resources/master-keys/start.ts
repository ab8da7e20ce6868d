// What has to be true of the keyring before a process may serve: it has the active master key and every key that a
// stored value still needs.
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { listSealingKeys } from "../secrets/key-use.ts";
import { findActiveKey, upsertActiveKey } from "./store.ts";

/** Id of the active master key; null in a store that has never sealed anything. */
export async function activeKeyId(tx: Tx): Promise<string | null> {
  return (await findActiveKey(tx, {}))?.key_id ?? null;
}

/** Makes the first master key the active one. */
export async function activateFirstKey(tx: Tx, keyId: string, now: number): Promise<void> {
  await upsertActiveKey(tx, { keyId, now });
}

/** Ids of the master keys that the store needs and the keyring lacks, the active one first. */
export async function missingKeys(tx: Tx, keyring: Keyring): Promise<readonly string[]> {
  const active = await activeKeyId(tx);
  const needed = new Set([...(active === null ? [] : [active]), ...(await listSealingKeys(tx))]);
  const present = new Set(keyring.keyIds());
  return [...needed].filter((id) => !present.has(id));
}
