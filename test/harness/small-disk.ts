// A disk of a few megabytes that a test may fill: a file system in memory, inside the mount namespace of a helper process.
// Without such namespaces, a limit on the size of files replaces it.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { MOUNT_NAMESPACE } from "./mount-namespace.ts";

export interface SmallDisk {
  /** False: only the size of files is limited. SQLite and PostgreSQL do not distinguish that from a failing disk. */
  readonly isDisk: boolean;
  /** The start of the command of a program that sees the disk at its folder. */
  readonly wrapper: readonly string[];
  /** The path for all other processes. It is a link, through which SQLite would miss the disk. */
  readonly seen: string;
  /** Fills the disk; without a disk, limits the files of these processes. */
  takeSpace(pids: readonly number[]): void;
  freeSpace(pids: readonly number[]): void;
}

/** The owner of the disk; by default the user who runs the tests. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

const holders = new Set<ChildProcess>();
after(() => {
  for (const holder of holders) holder.kill("SIGKILL");
});

const MOUNT = 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && exec "$@"';
/** Runs until its standard input closes: with the test, at the latest. */
const HOLD = ["sh", "-c", "echo held && exec cat"];

async function mountDisk(folder: string, bytes: number, { uid, gid }: Account): Promise<SmallDisk | undefined> {
  const isOwned = uid !== undefined && gid !== undefined;
  const options = `size=${bytes},mode=0700${isOwned ? `,uid=${uid},gid=${gid}` : ""}`;
  // Processes that may inspect another one may enter its view of the disk.
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
    takeSpace() {
      const ballast = openSync(join(seen, "ballast"), "a");
      try {
        for (;;) writeSync(ballast, Buffer.alloc(4_096));
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      } finally {
        closeSync(ballast);
      }
    },
    freeSpace: () => rmSync(join(seen, "ballast")),
  };
}

/** Limits the size of every file that these processes of the account write to. */
export function limitFiles(pids: readonly number[], bytes: number | "unlimited", account: Account = {}): void {
  for (const pid of pids) {
    // Runs as the owner of the processes: root may lack the right.
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
    takeSpace: (pids) => limitFiles(pids, 4_096, account),
    freeSpace: (pids) => limitFiles(pids, "unlimited", account),
  };
}

/** `folder` is the absolute path of an empty folder. */
export async function createSmallDisk(folder: string, bytes: number, account: Account = {}): Promise<SmallDisk> {
  return (await mountDisk(folder, bytes, account)) ?? standIn(folder, bytes, account);
}
