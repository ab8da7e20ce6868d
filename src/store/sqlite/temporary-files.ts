// Files on their way: each has a name of its own until it is whole. What a process that was killed has left is cleared away
// by the next one that writes to the same place.
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Of this process: in another container another one may have its number. */
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

/** Whether a file, by what its name adds to that of the place, was left by a process that is gone. */
function isLeft(ending: string): boolean {
  const [, owner, pid] = OWNER.exec(ending) ?? [];
  if (owner === undefined || owner === SELF) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

/** A name for what is to become `file`, and beginning of the names of what is needed meanwhile. */
export async function nameUnfinished(file: string): Promise<string> {
  const [folder, place] = [dirname(file), basename(file)];
  for (const name of await readdir(folder)) {
    if (name.startsWith(place) && isLeft(name.slice(place.length))) await rm(join(folder, name), { force: true });
  }
  return `${file}.${SELF}-${count++}.unfinished`;
}
