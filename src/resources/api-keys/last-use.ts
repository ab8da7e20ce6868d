// When API keys were last used, written by an internal command.
import type { Tx } from "../../kernel/tx.ts";
import { touchKeys } from "./store.ts";

export async function noteKeyUses(tx: Tx, keyIds: readonly string[], activeAt: number): Promise<void> {
  await touchKeys(tx, { ids: JSON.stringify(keyIds), activeAt });
}
