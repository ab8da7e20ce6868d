// PgBouncer, as Debian packages it, in front of a server of these tests.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { atExit } from "../harness/at-exit.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";
import { findPostgres } from "./files.ts";
import type { PostgresNode } from "./node.ts";

export interface Pooler {
  readonly host: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer; `lines` are settings such as `pool_mode = transaction`. */
export async function startPooler(node: PostgresNode, lines: readonly string[]): Promise<Pooler> {
  if (spawnSync("pgbouncer", ["--version"]).error) {
    throw new Error("pgbouncer is missing: install Debian's package pgbouncer, as .ci/run does");
  }
  const { account, makeFolder } = await findPostgres();
  const [folder, port] = [makeFolder(), await freePort()];
  const [user = "", password = ""] = node.login.split(":");
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    if (account.uid !== undefined && account.gid !== undefined) chownSync(file, account.uid, account.gid);
    return file;
  };
  const users = write("users.txt", `"${user}" "${password}"\n`);
  const settings = write(
    "pgbouncer.ini",
    `[databases]\n* = host=127.0.0.1 port=${node.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = ${users}\n${lines.join("\n")}\n`,
  );
  const child = spawn("pgbouncer", [settings], { ...account, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  atExit(() => void child.kill("SIGKILL"));
  const host = `127.0.0.1:${port}`;
  await waitFor("PgBouncer to take connections", async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended at once:\n${log}`);
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
  return {
    host,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      // At once: SIGINT waits for the sessions of its clients.
      child.kill("SIGTERM");
      await ended;
    },
  };
}
