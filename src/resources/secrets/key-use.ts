// Which master keys the stored values need, for starting, rotating and retiring.
import type { Tx } from "../../kernel/tx.ts";
import { listUsedKeys } from "./key-use-store.ts";

/** Ids of all master keys that some version is sealed with. */
export async function listSealingKeys(tx: Tx): Promise<readonly string[]> {
  return (await listUsedKeys(tx, {})).map(({ key_id }) => key_id);
}
