// Refuses changes that add data before the disk of the embedded store is full, so that there is room for deletions, for what protects, and
// for what the server itself has to write.
import type { FastifyBaseLogger } from "fastify";
import { ApiError } from "../../kernel/errors.ts";

const MIB = 1_048_576;
/** Asking the system takes some microseconds. */
const LOOK_MS = 1_000;

export interface DiskReserve {
  /** Throws `storage_full` when less is free than is to be left, or than this share of it. */
  require(share?: number): void;
}

/**
 * `freeBytes` is null where the store is not on this machine's disk; `reserveMib` 0 turns the limit off. The log says when it begins to
 * refuse changes, and when it has ended.
 */
export function createDiskReserve(
  freeBytes: (() => number) | null,
  reserveMib: number,
  logger: Pick<FastifyBaseLogger, "error" | "info">,
): DiskReserve {
  let lookedAt = -Infinity;
  let free = Infinity;
  let isScarce = false;

  function look(left: number) {
    free = left;
    if (free < reserveMib * MIB === isScarce) return;
    isScarce = !isScarce;
    const freeMib = Math.floor(free / MIB);
    if (isScarce)
      logger.error(
        { freeMib, reserveMib },
        "changes that add data are refused: REEVE_DISK_RESERVE leaves the rest of the disk",
      );
    else logger.info({ freeMib, reserveMib }, "the disk has space again, and changes are accepted");
  }

  return {
    require(share = 1) {
      if (freeBytes === null || reserveMib === 0) return;
      const now = performance.now();
      if (now - lookedAt >= LOOK_MS) {
        lookedAt = now;
        look(freeBytes());
      }
      if (free >= share * reserveMib * MIB) return;
      throw new ApiError(
        "storage_full",
        `The store's disk has less than ${reserveMib} MiB left, so of changes only deletions and what protects are accepted, and nothing was changed; ` +
          "try again when the operator has made room (REEVE_DISK_RESERVE)",
      );
    },
  };
}
