// Which versions make room for new ones: the oldest of an owner first, and never one that is in use. Versions of firewalls and of
// environments follow the same rule.
import { limitReached } from "./storage-limits.ts";
import type { StorageLimits } from "./storage-limits.ts";
import type { Awaitable } from "./tx.ts";

const MIB = 1_048_576;
/** A change removes at most this many, because others wait for it. A lower limit is reached with the next changes. */
export const MOST_REMOVED = 100;

/** The statements of a kind of versions, for one owner. */
interface Versions<V> {
  /** The bytes of all. */
  sumSizes(): Awaitable<{ readonly bytes: number } | undefined>;
  /** Those that may go, in the order in which they go; the first `MOST_REMOVED` or so. */
  listOldest(): Awaitable<readonly V[]>;
  remove(version: V): Awaitable<unknown>;
}

/**
 * Removes the first versions so that the rest is within the limit, and returns them. `grownBytes` is what new versions take more than those
 * in whose place they are. Throws `limit_reached` when those that have to stay are too large by themselves, unless they were before: an owner
 * gets below a limit by changes that take less.
 */
export async function removeOldest<V extends { readonly size: number }>(
  limits: StorageLimits,
  grownBytes: number,
  { sumSizes, listOldest, remove }: Versions<V>,
): Promise<readonly V[]> {
  let excess = ((await sumSizes())?.bytes ?? 0) - limits["history-mib"] * MIB;
  if (excess <= 0) return [];
  const oldest = await listOldest();
  const removed: V[] = [];
  for (const version of oldest) {
    if (excess <= 0) break;
    await remove(version);
    removed.push(version);
    excess -= version.size;
  }
  if (excess > 0 && grownBytes > 0 && oldest.length < MOST_REMOVED) {
    throw limitReached(limits, "history-mib", "make those that are in use smaller");
  }
  return removed;
}
