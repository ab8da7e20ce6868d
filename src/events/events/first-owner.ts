// Processes items that are due for many owners, one owner in each transaction. Recording an event locks the owner, and a
// transaction that locks one owner cannot deadlock.
import type { Tx } from "../../platform/kernel/tx.ts";
import { lockOwner } from "./emit.ts";

/**
 * Locks the owner of the first item, runs `handle` for each of that owner's items, and returns how many it handled. `handle` reads
 * its item again, and returns false when another transaction has handled it.
 */
export async function forFirstOwner<I extends { readonly ownerId: string }>(
  tx: Tx,
  items: readonly I[],
  handle: (item: I) => Promise<boolean>,
): Promise<number> {
  const [first] = items;
  if (!first) return 0;
  await lockOwner(tx, first.ownerId);
  let done = 0;
  for (const item of items.filter(({ ownerId }) => ownerId === first.ownerId)) {
    if (await handle(item)) done++;
  }
  return done;
}
