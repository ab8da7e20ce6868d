// Refuses changes that add data before the disk of the embedded store is full, so that there is room for deletions, for what protects, and
// for what the server itself has to write.
import { ApiError } from "../../kernel/errors.ts";

const MIB = 1_048_576;
/** Asking the system takes some microseconds. */
const LOOK_MS = 1_000;

export interface DiskReserve {
  /** Throws `storage_full` when less is free than is to be left, or than this share of it. */
  require(share?: number): void;
}

/** `freeBytes` is null where the store is not on this machine's disk; `reserveMib` 0 turns the limit off. */
export function createDiskReserve(freeBytes: (() => number) | null, reserveMib: number): DiskReserve {
  let lookedAt = -Infinity;
  let free = Infinity;
  return {
    require(share = 1) {
      if (freeBytes === null || reserveMib === 0) return;
      const now = performance.now();
      if (now - lookedAt >= LOOK_MS) {
        lookedAt = now;
        free = freeBytes();
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
