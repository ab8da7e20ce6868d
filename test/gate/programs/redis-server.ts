// A real redis-server on a free port, without a file on disk. Tests stop it, freeze it, and start it again on the same port.
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { after } from "node:test";
import { createClient } from "@redis/client";
import { connectRedis } from "../../../src/gate/counters/redis-connection.ts";
import type { RedisConnection } from "../../../src/gate/counters/redis-connection.ts";
import { freePort } from "../../harness/free-port.ts";
import { waitFor } from "../../harness/wait-for.ts";

if (spawnSync("which", ["redis-server"]).status !== 0) {
  throw new Error("redis-server is missing: install Debian's package redis-server, as .ci/run does");
}

export interface RedisServer {
  readonly url: string;
  /** Sends one command on a connection of its own. */
  command(...args: string[]): Promise<unknown>;
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** Ends it at once; what it held is lost. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** A connection as gates have it. */
export async function connectTo(url: string): Promise<RedisConnection> {
  const connection = await new Promise<RedisConnection>((resolve, reject) => {
    const made = connectRedis(url, { ready: () => resolve(made), failed: (reason) => reject(new Error(reason)) });
  });
  after(() => connection.close());
  return connection;
}

/** Runs until the end of the tests. */
export async function startRedis({ password }: { readonly password?: string } = {}): Promise<RedisServer> {
  const port = await freePort();
  const url = `redis://${password === undefined ? "" : `:${password}@`}127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function command(...args: string[]): Promise<unknown> {
    const client = createClient({ url, RESP: 2, disableClientInfo: true, socket: { reconnectStrategy: false } });
    client.on("error", () => {});
    await client.connect();
    try {
      return await client.sendCommand(args);
    } finally {
      client.destroy();
    }
  }

  async function start(): Promise<void> {
    const access = password === undefined ? [] : ["--requirepass", password];
    const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", ...access];
    child = spawn("redis-server", args, { stdio: "ignore", cwd: "/" });
    await waitFor("redis-server", async () => (await command("PING").catch(() => undefined)) === "PONG" || undefined);
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  }

  await start();
  after(kill);
  return { url, command, start, kill, signal: (name) => void child?.kill(name) };
}
