// Work that is due for many owners, done for one at a time: events take their owner's lock, and a transaction that
// takes one lock cannot wait in a circle.
import type { Tx } from "../../kernel/tx.ts";
import { lockChain } from "./emit.ts";

/**
 * Does `work` for those of `candidates` that belong to the first one's owner, under the owner's lock, and answers how
 * many it did. `work` reads its candidate again, and answers false when somebody else has done what was due.
 */
export async function forFirstOwner<C extends { readonly owner_id: string }>(
  tx: Tx,
  candidates: readonly C[],
  work: (candidate: C) => Promise<boolean>,
): Promise<number> {
  const [first] = candidates;
  if (!first) return 0;
  await lockChain(tx, first.owner_id);
  let done = 0;
  for (const candidate of candidates.filter(({ owner_id }) => owner_id === first.owner_id)) {
    if (await work(candidate)) done++;
  }
  return done;
}
