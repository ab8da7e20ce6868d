// Child processes of the benchmark: started, measured from outside, and stopped by their own pid.
import { execFile, execFileSync, fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import type { ApiRequest } from "./load.ts";
import { freePort } from "../test/harness/free-port.ts";

export interface ChildServer {
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ServerProcess extends ChildServer {
  readonly port: number;
}

export interface ReeveProcess extends ServerProcess {
  /** From spawning to the first 200, ms. */
  readonly startMs: number;
}

/** Where a part of the benchmark works. */
export interface Bench {
  /** For data directories; removed at the end. */
  readonly folder: string;
  /** Stops the server when the part has ended, however it ends. */
  keep<T extends ChildServer>(starting: Promise<T>): Promise<T>;
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

const HERE = import.meta.dirname;

export const BENCH_TOKEN = "bench_0123456789abcdefghijklmnopqrstuvwxyz";
/** As long as a credential, for a server that asks for none. */
export const RAW_TOKEN = "x".repeat(46);

const START_TIMEOUT_MS = 60_000;

async function firstAnswer(port: number, token: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/v2/user`, {
        headers: { authorization: `Bearer ${token}` },
      });
      await answer.arrayBuffer();
      if (answer.status === 200) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`no answer on port ${port}`);
}

const REEVE = `${HERE}/../dist/reeve.js`;

/** Runs a command on a data directory to its end. */
export async function runReeve(
  dataDir: string,
  command: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  const env = { ...process.env, REEVE_DATA_DIR: dataDir, ...environment };
  await promisify(execFile)(process.execPath, [REEVE, ...command], { env });
}

/** Starts `reeve serve` on a data directory. */
export async function startReeve(dataDir: string, environment: Record<string, string> = {}): Promise<ReeveProcess> {
  const port = await freePort();
  const env = {
    ...process.env,
    REEVE_DATA_DIR: dataDir,
    REEVE_PORT: String(port),
    REEVE_RATE_LIMIT: "0",
    REEVE_LOG_LEVEL: "error",
    REEVE_BOOTSTRAP_TOKEN: BENCH_TOKEN,
    ...environment,
  };
  return await startListening(port, BENCH_TOKEN, () =>
    spawn(process.execPath, [REEVE, "serve"], { stdio: ["ignore", "ignore", "inherit"], env }),
  );
}

/** Starts a server that will listen on the port, and waits until it answers the owner of the token. */
export async function startListening(port: number, token: string, start: () => ChildProcess): Promise<ReeveProcess> {
  const startedAt = performance.now();
  const child = start();
  const stop = () => stopChild(child);
  try {
    await firstAnswer(port, token);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, pid: child.pid as number, startMs: performance.now() - startedAt, stop };
}

/** Starts raw node:http with these bodies by path. */
export async function startRaw(bodies: Record<string, string>): Promise<ServerProcess> {
  const child = fork(`${HERE}/raw-server.ts`, { stdio: "inherit" });
  const [port] = (await once(child, "message")) as [number];
  child.send(bodies);
  await once(child, "message");
  return { port, pid: child.pid as number, stop: () => stopChild(child) };
}

/** What a server answers. */
export async function readBody(
  server: ServerProcess,
  token: string,
  { method, path, body }: ApiRequest,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
}

const CLOCK_TICKS_PER_SECOND = 100;

/** CPU seconds that a process has used so far, from /proc; NaN where there is none. */
export function cpuSeconds(pid: number, whose: "its own" | "with ended children" = "its own"): number {
  if (!existsSync(`/proc/${pid}/stat`)) return Number.NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  const ticks = fields.slice(11, whose === "its own" ? 13 : 15);
  return ticks.reduce((sum, count) => sum + Number(count), 0) / CLOCK_TICKS_PER_SECOND;
}

/** Resident memory in MB; NaN where /proc is missing. */
export function residentMb(pid: number): number {
  if (!existsSync(`/proc/${pid}/status`)) return Number.NaN;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Compiles the shim that delays fsync; null where there is no C compiler. */
export function buildFsyncShim(folder: string): string | null {
  const library = `${folder}/fsync-delay.so`;
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, `${HERE}/fsync-delay.c`, "-ldl"], { stdio: "pipe" });
    return library;
  } catch {
    return null;
  }
}
