// Unfinished files: each has a temporary name until it is complete. The next process that writes to the same path removes those
// that a killed process left.
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** This process; its number alone is not unique, because another container may have the same one. */
const SELF = `${process.pid}-${randomUUID()}`;
const OWNER = /^\.((\d+)-[\da-f-]{36})-\d+\.unfinished/;
let count = 0;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a temporary file belongs to a process that has ended, by the ending of its name. */
function isAbandoned(ending: string): boolean {
  const [, owner, pid] = OWNER.exec(ending) ?? [];
  if (owner === undefined || owner === SELF) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

/** A temporary name for the future `file`; names of further temporary files begin with it. */
export async function nameUnfinished(file: string): Promise<string> {
  const [folder, target] = [dirname(file), basename(file)];
  for (const name of await readdir(folder)) {
    if (name.startsWith(target) && isAbandoned(name.slice(target.length)))
      await rm(join(folder, name), { force: true });
  }
  return `${file}.${SELF}-${count++}.unfinished`;
}
