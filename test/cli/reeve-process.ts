// Runs the `reeve` command line as operators do: as a process, on a database of this test file.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Flags } from "../../src/serve/config/config.ts";
import { builtFile } from "../harness/program.ts";
import { environmentOf } from "./in-process.ts";
import type { Ended, Environment } from "./in-process.ts";

/** The program of the package. */
const MAIN = builtFile("reeve.js");
const END_WITHIN_MS = 60_000;

/** A folder for the path that has `reeve`, as where the package is installed, and this Node.js. */
export const INSTALLED = mkdtempSync(join(tmpdir(), "reeve-path-"));
symlinkSync(MAIN, join(INSTALLED, "reeve"));
symlinkSync(process.execPath, join(INSTALLED, "node"));

const running = new Set<ChildProcess>();
after(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(INSTALLED, { recursive: true, force: true });
});

export interface ReeveProcess {
  readonly child: ChildProcess;
  /** Resolves when standard output contains this. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Standard error so far. */
  logged(): string;
  readonly ended: Promise<Ended>;
}

/** `wrapper` is a command that runs the program in its last arguments. */
export function startReeve(
  args: readonly string[],
  settings: Flags,
  more: Environment = {},
  wrapper: readonly string[] = [],
  endWithinMs?: number,
): ReeveProcess {
  const [program = "", ...rest] = [...wrapper, process.execPath, MAIN, ...args];
  return startProgram(program, rest, settings, more, endWithinMs);
}

/** Starts Reeve as in README.md. */
export function startByNpm(settings: Flags): ReeveProcess {
  return startProgram("npm", ["start"], settings, {});
}

/** Starts a program that is or becomes Reeve. */
export function startProgram(
  program: string,
  args: readonly string[],
  settings: Flags,
  more: Environment,
  timeout?: number,
): ReeveProcess {
  const child = spawn(program, args, {
    cwd: new URL("../..", import.meta.url),
    env: environmentOf(settings, more, INSTALLED),
    stdio: ["ignore", "pipe", "pipe"],
    timeout,
    killSignal: "SIGKILL",
  });
  running.add(child);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close").then(([code]) => {
    running.delete(child);
    return { code: code as number | null, stdout, stderr };
  });
  return {
    child,
    ended,
    logged: () => stderr,
    async printed(pattern) {
      for (;;) {
        const match = pattern.exec(stdout);
        if (match) return match;
        const isOver = await Promise.race([once(child.stdout, "data").then(() => false), ended.then(() => true)]);
        if (isOver && !pattern.test(stdout)) throw new Error(`reeve ended without printing ${pattern}:\n${stderr}`);
      }
    },
  };
}

/** Runs a command until it exits. */
export async function runReeve(
  args: readonly string[],
  settings: Flags,
  more: Environment = {},
  wrapper: readonly string[] = [],
): Promise<Ended> {
  return await startReeve(args, settings, more, wrapper, END_WITHIN_MS).ended;
}

export interface RunningServer extends ReeveProcess {
  readonly url: string;
  readonly isFirstStart: boolean;
  readonly adminToken: string | null;
}

/** Starts a server, on a free port unless the arguments name one. */
export async function serveReeve(
  settings: Flags,
  more: Environment = {},
  wrapper: readonly string[] = [],
  args: readonly string[] = [],
): Promise<RunningServer> {
  const reeve = startReeve(
    ["serve", "--json", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args],
    { logLevel: "error", ...settings },
    more,
    wrapper,
  );
  const [line] = await reeve.printed(/^\{.*\}$/m);
  const { url, isFirstStart, adminToken } = JSON.parse(line) as Pick<
    RunningServer,
    "url" | "isFirstStart" | "adminToken"
  >;
  return { ...reeve, url, isFirstStart, adminToken };
}

/** Tells the server to stop and returns how it ended. Fails when it goes on. */
export async function stopReeve(reeve: ReeveProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<Ended> {
  reeve.child.kill(signal);
  const timeout = new AbortController();
  const ended = await Promise.race([reeve.ended, setTimeout(END_WITHIN_MS, null, timeout)]);
  timeout.abort();
  if (ended === null) throw new Error(`reeve goes on after ${signal}:\n${reeve.logged()}`);
  return ended;
}
