// The folder that holds what a run of the tests writes.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./at-exit.ts";

const MEMORY = "/dev/shm";
/** A whole run writes about 4 GiB, most of it databases. */
const NEEDED_BYTES = 8 * 2 ** 30;

function makeFolderIn(parent: string): string {
  const folder = mkdtempSync(join(parent, "reeve-suite-"));
  // The account of PostgreSQL has folders in it; nobody else may list them, or put code there that tests would run.
  chmodSync(folder, 0o711);
  atExit(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function mayRunPrograms(folder: string): boolean {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** Makes the folder, which goes when the process ends: in memory where there is room, as every commit waits for the disk elsewhere; a third of the time was that. */
export function makeScratch(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, freemem()) > NEEDED_BYTES) {
      const folder = makeFolderIn(MEMORY);
      if (mayRunPrograms(folder)) return folder;
    }
  } catch {
    // The system has no such folder.
  }
  return makeFolderIn(tmpdir());
}
