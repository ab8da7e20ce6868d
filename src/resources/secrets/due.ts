// Work that is due for secrets of many owners, done for one owner at a time: events take their owner's lock, and a
// transaction that takes one lock cannot wait in a circle.
import type { Tx } from "../../kernel/tx.ts";
import { lockChain } from "../events/emit.ts";
import { findSecretById } from "./store.ts";
import type { SecretRow } from "./store.ts";

export const DUE_BATCH = 100;

/**
 * Does `work` for those of `candidates` that belong to the first one's owner and are still due under the owner's lock;
 * answers how many.
 */
export async function forFirstOwner(
  tx: Tx,
  candidates: readonly { readonly id: string; readonly owner_id: string }[],
  isDue: (row: SecretRow) => boolean,
  work: (row: SecretRow) => Promise<void>,
): Promise<number> {
  const [first] = candidates;
  if (!first) return 0;
  const { owner_id: ownerId } = first;
  await lockChain(tx, ownerId);
  let done = 0;
  for (const { id } of candidates.filter((one) => one.owner_id === ownerId)) {
    const row = await findSecretById(tx, { ownerId, id });
    if (!row || !isDue(row)) continue;
    await work(row);
    done++;
  }
  return done;
}
