// The file of an embedded store: who may read it, whether it may be written, whether there is room for it, and whether it is
// still where it was.
import { accessSync, closeSync, constants, existsSync, openSync, statSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../database.ts";

/** Without the right to write SQLite would open the file for reading, and fail at the first change. */
export function requireWritable(file: string): void {
  // Its log lies beside it.
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

/** What is free on the disk of a folder, in bytes. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Makes the file for its owner alone where there is none: SQLite itself would let everybody read it who may enter the folder.
 * What it puts beside the file gets the same mode.
 */
export function createForOwner(file: string): void {
  try {
    // Never one that is there: closing it would take from this process the locks that it has on it.
    closeSync(openSync(file, "wx", 0o600));
  } catch {
    // Where it can't be made SQLite says why.
  }
}

/** Says whether the path still leads to the file that it leads to now: what is written to another one is lost to it. */
export function watchFileIdentity(file: string): () => boolean {
  const { dev, ino } = statSync(file);
  return () => {
    const present = statSync(file, { throwIfNoEntry: false });
    return present?.ino === ino && present.dev === dev;
  };
}
