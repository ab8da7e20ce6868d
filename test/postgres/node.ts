// PostgreSQL servers of this process, on loopback, in temporary folders, from the binaries that npm installs. Tests may stop,
// kill and promote them. None survives the process.
import { execFile, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { atExit } from "../harness/at-exit.ts";
import { freePort } from "../harness/free-port.ts";
import { findPostgres } from "./files.ts";
import type { PostgresFiles } from "./files.ts";
import type { Account } from "../harness/small-disk.ts";
import { waitFor } from "../harness/wait-for.ts";

/** The whole environment of a server. */
const ENVIRONMENT = { LC_ALL: "C" };

/**
 * A password is needed: every account of this machine can connect, and a superuser of PostgreSQL can run programs as the
 * server.
 */
const PASSWORD = randomBytes(16).toString("hex");

/** The configuration of every server; a standby copies it from its primary. */
const CONFIGURATION = [
  // Tests kill processes, never the machine: written data survives.
  "fsync = off",
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  "wal_keep_size = '256MB'",
  // Tests measure promotion and reconnecting, not the pause of a standby between two attempts.
  "wal_retrieve_retry_interval = '100ms'",
];

/** A collation of a language, as most databases have: statements that need byte order have to say so. */
const INITDB = [
  "--auth=password",
  "--username=postgres",
  "--encoding=UTF8",
  "--locale-provider=icu",
  "--icu-locale=en-US",
  "--no-sync",
];

export class PostgresNode {
  readonly name: string;
  readonly port: number;
  readonly folder: string;
  readonly #files: PostgresFiles;
  #process: ChildProcess | undefined;
  #log = "";

  constructor(name: string, port: number, folder: string, files: PostgresFiles) {
    this.name = name;
    this.port = port;
    this.folder = folder;
    this.#files = files;
    atExit(() => this.#end());
  }

  get #running(): ChildProcess | undefined {
    const child = this.#process;
    return child?.exitCode === null && child.signalCode === null ? child : undefined;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** The end of its log. */
  get log(): string {
    return this.#log;
  }

  /** User and password, as in the authority of a URL. */
  get login(): string {
    return `postgres:${PASSWORD}`;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Starts the server and waits until it accepts connections. */
  async start(): Promise<void> {
    const child = spawn(this.#files.postgres, ["-D", this.folder, "-p", String(this.port)], {
      ...this.#files.account,
      cwd: this.folder,
      env: ENVIRONMENT,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => (this.#log = (this.#log + text).slice(-20_000)));
    await waitFor(`${this.name} to take connections`, async () => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended at once:\n${this.#log}`);
      return await this.query("select 1").then(
        () => true,
        () => undefined,
      );
    });
  }

  /** Writes a file of its data folder, which the server alone may read. */
  write(name: string, text: string): void {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    own(file, this.#files.account);
  }

  /** Runs SQL on a connection of its own. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    return await this.withClient(async (client) => (await client.query<Record<string, unknown>>(sql)).rows);
  }

  async withClient<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(`postgres://${this.login}@${this.host}/postgres`);
    client.on("error", () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  /** `fast` ends all sessions and shuts down; `immediate` leaves the data as a crash does. */
  async stop(mode: "fast" | "immediate"): Promise<void> {
    await this.#signal(mode === "fast" ? "SIGINT" : "SIGQUIT");
  }

  /** Kills the server and each of its processes, as a crash of its machine would. */
  async kill(): Promise<void> {
    const pid = this.#running?.pid;
    if (pid === undefined) return;
    // While it is stopped it cannot replace the children that are being killed.
    process.kill(pid, "SIGSTOP");
    const children = await listChildren(pid);
    const ended = this.#signal("SIGKILL");
    for (const child of children) {
      try {
        process.kill(child, "SIGKILL");
      } catch {
        // It has noticed the end of its parent, and ended.
      }
    }
    await ended;
  }

  /** The ids of its process and its children; none when it does not run. */
  async listProcesses(): Promise<number[]> {
    const pid = this.#running?.pid;
    return pid === undefined ? [] : [pid, ...(await listChildren(pid))];
  }

  /** Freezes the server: its connections stay open, and it sends nothing. */
  async freeze(): Promise<() => Promise<void>> {
    const signalAll = async (signal: NodeJS.Signals) => {
      for (const one of await this.listProcesses()) {
        try {
          process.kill(one, signal);
        } catch (error) {
          // It has ended since it was listed.
          if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
        }
      }
    };
    await signalAll("SIGSTOP");
    return () => signalAll("SIGCONT");
  }

  async #signal(signal: NodeJS.Signals): Promise<void> {
    const child = this.#running;
    if (!child) return;
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }

  /** Creates a standby of this running server, which follows it once it is started; on a new port, or on the given one. */
  async makeStandby(name: string, given?: number): Promise<PostgresNode> {
    const [folder, port] = [this.#files.makeFolder(), given ?? (await freePort())];
    await this.withClient(async (client) => {
      await client.query("select pg_backup_start('standby', fast => true)");
      await copyFolder(this.folder, folder);
      const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
      writeFileSync(join(folder, "backup_label"), rows[0]?.labelfile as string);
    });
    for (const file of ["postmaster.pid", "postmaster.opts"]) rmSync(join(folder, file), { force: true });
    const source = `host=127.0.0.1 port=${this.port} user=postgres password=${PASSWORD} application_name=${name}`;
    const standby = new PostgresNode(name, port, folder, this.#files);
    standby.write("postgresql.auto.conf", `primary_conninfo = '${source}'\n`);
    standby.write("standby.signal", "");
    own(join(folder, "backup_label"), this.#files.account);
    return standby;
  }

  /** From now on this server acknowledges a commit only after `standby` has it on disk. */
  async requireStandby(standby: PostgresNode): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${standby.name}'`);
    await this.query("select pg_reload_conf()");
    await waitFor(`${standby.name} to be synchronous`, async () => {
      const rows = await this.query(`select 1 from pg_stat_replication where sync_state = 'sync'`);
      return rows.length === 1 || undefined;
    });
  }

  /** This server, which is stopped, at another port. */
  at(port: number): PostgresNode {
    return new PostgresNode(this.name, port, this.folder, this.#files);
  }

  async promote(): Promise<void> {
    await this.query("select pg_promote()");
  }

  async remove(): Promise<void> {
    // A killed server leaves shared memory behind, which its next start releases.
    if (!this.isRunning && existsSync(join(this.folder, "postmaster.pid"))) await this.start().catch(() => undefined);
    await this.stop("immediate");
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Stops the server while this process ends. Nothing can wait for it to leave its folder. */
  #end(): void {
    if (!this.isRunning) return;
    const args = ["stop", "-D", this.folder, "--mode=immediate", "--silent"];
    spawnSync(this.#files.control, args, { ...this.#files.account, cwd: this.folder });
  }
}

const run = promisify(execFile);

/** Makes a file readable for the account of the server only, whatever the umask. */
function own(file: string, { uid, gid }: Account): void {
  chmodSync(file, 0o600);
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid);
}

async function listChildren(pid: number): Promise<number[]> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
  const pairs = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child as number);
}

/** Files that disappear while a server runs are ignored: its log has their contents. */
async function copyFolder(from: string, to: string): Promise<void> {
  await run("cp", ["-a", `${from}/.`, to]).catch((error: unknown) => {
    const { stderr } = error as { stderr?: string };
    const lines = (stderr ?? String(error)).trim().split("\n");
    if (!lines.every((line) => line.endsWith("No such file or directory"))) throw error;
  });
}

interface NodeOptions {
  /** Two empty folders: for its data, and for its write-ahead log. */
  readonly folders?: { readonly data: string; readonly wal: string };
  /** Options of initdb. */
  readonly flags?: readonly string[];
  /** Lines of postgresql.conf, which override the ones above. */
  readonly configuration?: readonly string[];
  /** Those of npm by default. */
  readonly files?: PostgresFiles;
}

/** A server with an empty database, not started yet. */
export async function createPostgresNode(
  name: string,
  { folders, flags = [], configuration = [], files: given }: NodeOptions = {},
): Promise<PostgresNode> {
  const files = given ?? (await findPostgres());
  const [folder, port] = [folders?.data ?? files.makeFolder(), await freePort()];
  const passwordFile = join(files.makeFolder(), "password");
  writeFileSync(passwordFile, PASSWORD);
  own(passwordFile, files.account);
  const options = [...INITDB, `--pwfile=${passwordFile}`, ...flags];
  if (folders) options.push(`--waldir=${folders.wal}`);
  await run(files.initdb, ["-D", folder, ...options], { ...files.account, env: ENVIRONMENT, cwd: folder });
  const node = new PostgresNode(name, port, folder, files);
  const file = join(folder, "postgresql.conf");
  writeFileSync(file, `${[...CONFIGURATION, ...configuration].join("\n")}\n`, { flag: "a" });
  return node;
}
