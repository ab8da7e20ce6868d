// Processes due secrets of many owners, one owner per transaction.
import type { Tx } from "../../kernel/tx.ts";
import { forFirstOwner } from "../events/first-owner.ts";
import { findSecretById } from "./store.ts";
import type { SecretRow } from "./store.ts";

export const DUE_BATCH = 100;

/**
 * Calls `work` for the candidates of the first candidate's owner that are still due once the owner is locked; returns how
 * many.
 */
export async function forDueSecrets(
  tx: Tx,
  candidates: readonly { readonly id: string; readonly owner_id: string }[],
  isDue: (row: SecretRow) => boolean,
  work: (row: SecretRow) => Promise<void>,
): Promise<number> {
  return await forFirstOwner(tx, candidates, async ({ id, owner_id: ownerId }) => {
    const row = await findSecretById(tx, { ownerId, id });
    if (!row || !isDue(row)) return false;
    await work(row);
    return true;
  });
}
