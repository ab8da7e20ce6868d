// PgBouncer, as Debian packages it, in front of a server of these tests.
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { atExit } from "../harness/at-exit.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { findPostgres } from "./files.ts";
import type { PostgresNode } from "./node.ts";

/** Without it PgBouncer refuses Reeve's connections. */
export const IGNORES_LIMITS =
  "ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout";

export interface Pooler {
  readonly host: string;
  /** Gives the running pooler other settings. */
  reload(lines: readonly string[]): void;
  stop(): Promise<void>;
  /** Starts it at the same port with other settings, after `stop`. */
  start(lines: readonly string[]): Promise<void>;
}

/** Starts PgBouncer; `lines` are settings such as `pool_mode = transaction`. */
export async function startPooler(node: PostgresNode, lines: readonly string[]): Promise<Pooler> {
  if (spawnSync("pgbouncer", ["--version"]).error) {
    throw new Error("pgbouncer is missing: install Debian's package pgbouncer, as .ci/run does");
  }
  const { account, makeFolder } = await findPostgres();
  const [folder, port] = [makeFolder(), await freePort()];
  const host = `127.0.0.1:${port}`;
  const [user = "", password = ""] = node.login.split(":");
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (account.uid !== undefined && account.gid !== undefined) chownSync(file, account.uid, account.gid);
    return file;
  };
  const users = write("users.txt", `"${user}" "${password}"\n`);
  const writeSettings = (own: readonly string[]) =>
    write(
      "pgbouncer.ini",
      `[databases]\n* = host=127.0.0.1 port=${node.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = ${users}\n${own.join("\n")}\n`,
    );
  let child: ChildProcess;
  atExit(() => void child.kill("SIGKILL"));

  async function start(own: readonly string[]): Promise<void> {
    const started = spawn("pgbouncer", [writeSettings(own)], {
      ...account,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    let log = "";
    started.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
    await waitFor("PgBouncer to take connections", async () => {
      if (started.exitCode !== null) throw new Error(`PgBouncer ended at once:\n${log}`);
      const client = new pg.Client(`postgres://${node.login}@${host}/postgres`);
      client.on("error", () => undefined);
      try {
        await client.connect();
        await client.end();
        return true;
      } catch {
        return undefined;
      }
    });
  }

  await start(lines);
  return {
    host,
    start,
    reload(own) {
      writeSettings(own);
      child.kill("SIGHUP");
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      // At once: SIGINT waits for the sessions of its clients.
      child.kill("SIGTERM");
      await ended;
    },
  };
}
