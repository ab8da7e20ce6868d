// What has to be true of the keyring before a process may serve: it has the active master key and every key that a
// stored value still needs.
import type { Keyring } from "../../kernel/keyring.ts";
import type { Tx } from "../../kernel/tx.ts";
import { neededKeys } from "./key-use.ts";
import { upsertActiveKey } from "./store.ts";

/** Makes the first master key the active one. */
export async function activateFirstKey(tx: Tx, keyId: string, now: number): Promise<void> {
  await upsertActiveKey(tx, { keyId, now });
}

/** Ids of the master keys that the store needs and the keyring lacks, the active one first. */
export async function missingKeys(tx: Tx, keyring: Pick<Keyring, "keyIds">): Promise<readonly string[]> {
  const present = new Set(keyring.keyIds());
  return (await neededKeys(tx)).filter((id) => !present.has(id));
}
