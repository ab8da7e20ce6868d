// A disk of a few megabytes that a test may fill: a file system in memory, inside the mount namespace of a helper process.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { MOUNT_NAMESPACE } from "./mount-namespace.ts";

export interface SmallDisk {
  /** The start of the command of a program that sees the disk at its folder. */
  readonly wrapper: readonly string[];
  /** The path for all other processes. It is a link, through which SQLite would miss the disk. */
  readonly seen: string;
  /** Fills the disk. */
  takeSpace(): void;
  freeSpace(): void;
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
const NO_DISK = "no small disk can be mounted here: run the tests as root, or permit user namespaces";
/** Runs until its standard input closes: with the test, at the latest. */
const HOLD = ["sh", "-c", "echo held && exec cat"];

/** `folder` is the absolute path of an empty folder. */
export async function createSmallDisk(folder: string, bytes: number, { uid, gid }: Account = {}): Promise<SmallDisk> {
  const isOwned = uid !== undefined && gid !== undefined;
  const options = `size=${bytes},mode=0700${isOwned ? `,uid=${uid},gid=${gid}` : ""}`;
  // Processes that may inspect another one may enter its view of the disk.
  const become = isOwned ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : [];
  const [program = "", ...rest] = [...MOUNT_NAMESPACE, "sh", "-c", MOUNT, "sh", options, folder, ...become, ...HOLD];
  const holder = spawn(program, rest, { stdio: ["pipe", "pipe", "pipe"] });
  holders.add(holder);
  let said = "";
  holder.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const isHeld = await Promise.race([
    once(holder.stdout, "data").then(() => true),
    once(holder, "close").then(() => false),
  ]);
  assert.ok(isHeld, `${NO_DISK}: ${said.trim()}`);
  const isRoot = process.getuid?.() === 0;
  const seen = join(`/proc/${holder.pid}/root`, folder);
  return {
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
