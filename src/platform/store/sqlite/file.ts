// The file of an embedded store: its mode, whether it can be written, whether there is space for it, and whether it is still in
// its place.
import { accessSync, closeSync, constants, existsSync, openSync, statSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../database.ts";

/** Refuses a file that this user may not write: SQLite would open it for reading, and fail at the first change. */
export function requireWritable(file: string): void {
  // SQLite creates its log in the same folder.
  for (const path of [dirname(file), file]) {
    if (!existsSync(path)) continue;
    try {
      accessSync(path, constants.R_OK | constants.W_OK);
    } catch (error) {
      const { message } = error as Error;
      const advice = "give this user the right to read and write there";
      throw new StoreError(`cannot open the database ${file}: ${message}: ${advice}`, { cause: error });
    }
  }
}

/** The free space on the disk of a folder, in bytes. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Creates a missing file for its owner alone: SQLite itself would create it readable for everybody who may enter the folder. The
 * files that SQLite puts beside it get the same mode.
 */
export function createForOwner(file: string): void {
  try {
    // Never opens an existing file: closing it would drop this process's locks on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // SQLite reports why it can't be created.
  }
}

/** Returns a function that checks whether the path still leads to the same file: writes to a replaced file would be lost. */
export function watchFileIdentity(file: string): () => boolean {
  const { dev, ino } = statSync(file);
  return () => {
    const present = statSync(file, { throwIfNoEntry: false });
    return present?.ino === ino && present.dev === dev;
  };
}
