// Removes the versions that a new one leaves no room for: those of a project beyond a number, and the oldest of the owner beyond a size.
import type { Instance } from "../../platform/kernel/contract.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { MOST_REMOVED, removeOldest } from "../../platform/kernel/version-history.ts";
import { deleteVersion, findSize, listOldest, listOldestOfProject, sumSizes } from "./store.ts";

/** A version that was just stored and activated. */
interface Stored {
  readonly ownerId: string;
  readonly projectId: string;
  readonly version: number;
  readonly size: number;
  /** The version that was active before; null: none was. */
  readonly basedOn: number | null;
}

/**
 * Returns what was removed. The version that was active before goes last, where nothing else makes room. Throws `limit_reached` when
 * the versions that are in use are too large together.
 */
export async function makeRoom(
  tx: Tx,
  { ownerId, projectId, version, size, basedOn }: Stored,
  { storageLimits }: Pick<Instance, "storageLimits">,
): Promise<readonly { readonly projectId: string; readonly version: number }[]> {
  const at = { ownerId, projectId, before: basedOn ?? 0, limit: MOST_REMOVED };
  // Together, because statements travel to PostgreSQL.
  const [before, beyond, all] = await Promise.all([
    basedOn === null ? undefined : findSize(tx, { ownerId, projectId, version: basedOn }),
    listOldestOfProject(tx, { ...at, last: version - storageLimits.versions }),
    sumSizes(tx, { ownerId }),
  ]);
  for (const old of beyond) await deleteVersion(tx, { ...old, ownerId });
  const large = await removeOldest(storageLimits, size - (before?.size ?? 0), {
    sumSizes: () => (beyond.length === 0 ? all : sumSizes(tx, { ownerId })),
    listOldest: async () => [...(await listOldest(tx, at)), ...(before ? [before] : [])],
    remove: (old) => deleteVersion(tx, { ...old, ownerId }),
  });
  return [...beyond, ...large].map((old) => ({ projectId: old.projectId, version: old.version }));
}
