// The master key under which new values are sealed.
import type { Tx } from "../../kernel/tx.ts";
import { findActiveKey, upsertActiveKey } from "./store.ts";

/** Id of the active master key; null in a store that has never sealed anything. */
export async function activeKeyId(tx: Tx): Promise<string | null> {
  return (await findActiveKey(tx, {}))?.keyId ?? null;
}

/** When the active key became that, ms; null in a store that has never sealed anything. */
export async function activatedAt(tx: Tx): Promise<number | null> {
  return (await findActiveKey(tx, {}))?.activatedAt ?? null;
}

/** Makes the first master key the active one. */
export async function activateFirstKey(tx: Tx, keyId: string, now: number): Promise<void> {
  await upsertActiveKey(tx, { keyId, now });
}
