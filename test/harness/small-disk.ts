// A disk of a few megabytes that a test may fill: a file system in memory, which a process in a mount namespace of its own
// holds. Where nobody may have such a namespace, files that can't grow any further stand for it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { MOUNT_NAMESPACE } from "./mount-namespace.ts";

export interface SmallDisk {
  /** False: only files can't grow. SQLite and PostgreSQL don't tell that from a disk that fails. */
  readonly isDisk: boolean;
  /** Begins the command of a program that has the disk at its folder. */
  readonly wrapper: readonly string[];
  /** Where everybody else sees the folder. It is a link that SQLite would follow, and miss the disk. */
  readonly seen: string;
  /** Takes all room that is left; where it is no disk, from these processes. */
  takeRoom(pids: readonly number[]): void;
  makeRoom(pids: readonly number[]): void;
}

/** Whose the disk is; the one who runs the tests by default. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const holders = new Set<ChildProcess>();
after(() => {
  for (const holder of holders) holder.kill("SIGKILL");
});

const MOUNT = 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"';
/** Until the standard input ends: with the test, at the latest. */
const HOLD = ["sh", "-c", "echo held && exec cat"];

async function mountDisk(folder: string, bytes: number, { uid, gid }: Account): Promise<SmallDisk | undefined> {
  const isOwned = uid !== undefined && gid !== undefined;
  const options = `size=${bytes},mode=0700${isOwned ? `,uid=${uid},gid=${gid}` : ""}`;
  // Who may look into a process may go where it sees the disk.
  const become = isOwned ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : [];
  const [program = "", ...rest] = [...MOUNT_NAMESPACE, "sh", "-c", MOUNT, "sh", options, folder, ...become, ...HOLD];
  const holder = spawn(program, rest, { stdio: ["pipe", "pipe", "ignore"] });
  holders.add(holder);
  const isHeld = await Promise.race([
    once(holder.stdout, "data").then(() => true),
    once(holder, "close").then(() => false),
    once(holder, "error").then(() => false),
  ]);
  if (!isHeld) return undefined;
  const isRoot = process.getuid?.() === 0;
  const seen = join(`/proc/${holder.pid}/root`, folder);
  return {
    isDisk: true,
    wrapper: ["nsenter", `--target=${holder.pid}`, "--mount", ...(isRoot ? [] : ["--user", "--preserve-credentials"])],
    seen,
    takeRoom() {
      const ballast = openSync(join(seen, "ballast"), "a");
      try {
        for (;;) writeSync(ballast, Buffer.alloc(4_096));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      } finally {
        closeSync(ballast);
      }
    },
    makeRoom: () => rmSync(join(seen, "ballast")),
  };
}

/** From now on no file that these processes of the account's write to grows beyond so many bytes. */
export function limitFiles(pids: readonly number[], bytes: number | "unlimited", account: Account = {}): void {
  for (const pid of pids) {
    // As the one whose processes they are: root may not have the right to.
    const { status } = spawnSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}:unlimited`], account);
    assert.ok(status === 0 || !existsSync(`/proc/${pid}`));
  }
}

function standIn(folder: string, bytes: number, account: Account): SmallDisk {
  const { uid, gid } = account;
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return {
    isDisk: false,
    wrapper: ["prlimit", `--fsize=${bytes}:unlimited`],
    seen: folder,
    takeRoom: (pids) => limitFiles(pids, 4_096, account),
    makeRoom: (pids) => limitFiles(pids, "unlimited", account),
  };
}

/** `folder` is an absolute path of one that is empty. */
export async function createSmallDisk(folder: string, bytes: number, account: Account = {}): Promise<SmallDisk> {
  return (await mountDisk(folder, bytes, account)) ?? standIn(folder, bytes, account);
}
