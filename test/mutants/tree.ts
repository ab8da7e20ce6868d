// A copy of the tree in which one mutant lives at a time, and runs of single test files in it.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { atExit } from "../harness/at-exit.ts";
import { dropDatabases } from "../postgres/databases.ts";
import { startPostgres } from "../postgres/server.ts";
import type { PostgresServer } from "../postgres/server.ts";

const ROOT = join(import.meta.dirname, "../..");
/** What a test builds or finds there must not be that of the checkout. */
const LEFT_OUT = [".git", "dist"];

export interface Run {
  /** `unclear`: it ended without the failure of a test, or by one that a busy machine can cause. */
  readonly outcome: "passed" | "failed" | "unclear";
  /** The first test that failed. */
  readonly test: string | null;
  readonly ms: number;
  readonly isTimedOut: boolean;
}

/** What the machine does to a test, whatever the code does. */
const SURROUNDINGS =
  /EADDRINUSE|ENOMEM|ENOSPC|EMFILE|ECONNREFUSED|too many clients|out of memory|waited in vain|shutting down/;

/** The first failure in TAP with its description, once that is complete. */
function findFailure(tap: string) {
  const found = /^ *not ok \d+ - (?<name>.*)\n(?<details>(?:.*\n)*? *\.\.\.)\n/m.exec(tap);
  return found?.groups && { name: found.groups["name"] as string, details: found.groups["details"] as string };
}

export class Tree {
  readonly folder: string;
  #server: PostgresServer | undefined;
  #running: ChildProcess | undefined;

  constructor(folder: string) {
    this.folder = folder;
    atExit(() => this.#running?.kill("SIGKILL"));
    mkdirSync(folder);
    for (const entry of readdirSync(ROOT)) {
      if (["src", "test"].includes(entry)) {
        const isOurs = (path: string) => !path.includes("node_modules");
        cpSync(join(ROOT, entry), join(folder, entry), { recursive: true, filter: isOurs });
      } else if (!LEFT_OUT.includes(entry)) symlinkSync(join(ROOT, entry), join(folder, entry));
    }
  }

  /** Runs a test file until its first failure, or until the time is over. */
  async run(file: string, timeoutMs: number, coverage?: string): Promise<Run> {
    const isPostgres = basename(file).startsWith("postgres-");
    if (isPostgres) this.#server ??= await startPostgres();
    const temporary = join(this.folder, "..", `${basename(this.folder)}-temporary`);
    mkdirSync(temporary, { recursive: true });
    const startedAt = performance.now();
    const flags = ["--test", "--test-isolation=none", "--test-force-exit", "--test-reporter=tap"];
    const child = spawn(process.execPath, [...flags, file], {
      cwd: this.folder,
      env: {
        ...process.env,
        ...this.#server?.environment,
        REEVE_TEST_ENGINE: isPostgres ? "postgres" : "sqlite",
        TMPDIR: temporary,
        // Loading the program is most of what a short test takes.
        NODE_COMPILE_CACHE: `${this.folder}-compiled`,
        ...(coverage !== undefined && { NODE_V8_COVERAGE: coverage }),
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#running = child;
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    let tap = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      tap += text;
      if (findFailure(tap)) child.kill("SIGKILL");
    });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    clearTimeout(timer);
    const ms = performance.now() - startedAt;
    // A process that was killed leaves its store behind.
    rmSync(temporary, { recursive: true, force: true });
    if (isPostgres && this.#server && code !== 0) await dropDatabases(this.#server.url, "reeve_test_");
    const failure = findFailure(tap);
    const isClear = failure ? !SURROUNDINGS.test(failure.details) : code === 0;
    const outcome = !isClear ? "unclear" : failure ? "failed" : "passed";
    return { outcome, test: failure?.name ?? null, ms, isTimedOut };
  }

  async remove(): Promise<void> {
    await this.#server?.stop();
  }
}
