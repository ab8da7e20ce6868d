// How often something has happened of late, for what must not be done any number of times because of it.
import type { Tx } from "../../../kernel/tx.ts";
import { findMoment } from "../store.ts";
import type { EventType } from "../types.ts";

/** Whether there are more than `count` of the owner's events of a type since a moment (ms). */
export async function areMoreThan(
  tx: Tx,
  count: number,
  { ownerId, type }: { readonly ownerId: string; readonly type: EventType },
  since: number,
): Promise<boolean> {
  const found = await findMoment(tx, { ownerId, type, later: count });
  return found !== undefined && found.created_at >= since;
}
