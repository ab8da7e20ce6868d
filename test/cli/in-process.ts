// Runs commands and servers in the process of the test, with variables and streams of their own: as the program does, without the time
// that a process takes to start. What a process is needed to show (signals, terminals, pipes, its end) is in reeve-process.ts.
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { after } from "node:test";
import { runCommandLine } from "../../src/cli/program.ts";
import { runIn } from "../../src/platform/kernel/settings/current-process.ts";
import type { Terminal } from "../../src/platform/kernel/settings/current-process.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Flags, SettingName } from "../../src/serve/config/config.ts";
import { SETTINGS } from "../../src/serve/config/settings.ts";
import { createApp } from "../../src/serve/app.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { launchThread } from "../../src/platform/store/sqlite/writer-client.ts";
import { WRITER } from "../harness/program.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A folder for the path that has `reeve`, as where the package is installed. */
const INSTALLED = mkdtempSync(join(tmpdir(), "reeve-path-"));
const REEVE = join(INSTALLED, "reeve");
symlinkSync(join(ROOT, "bin/reeve.js"), REEVE);
after(() => rmSync(INSTALLED, { recursive: true, force: true }));

export type Environment = Readonly<Record<string, string>>;

/** The settings as environment variables, with the variables that Node.js needs and none of the suite's own, or of npm that runs it. */
export function environmentOf(settings: Flags, more: Environment, installed = INSTALLED): Environment {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:REEVE_|NODE_TEST|NODE_OPTIONS|npm_|INIT_CWD)/.test(name),
  );
  const named = Object.entries(settings).map(([name, value]) => [SETTINGS[name as SettingName].env, value]);
  const path = [installed, process.env["PATH"]].join(delimiter);
  return { ...Object.fromEntries([...inherited, ...named]), PATH: path, ...more } as Environment;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** What the standard input has; it is no terminal. */
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
  /** The output goes to a terminal of this width. */
  readonly columns?: number;
}

interface Sink {
  readonly stream: Terminal;
  text(): string;
}

function createSink(columns: number | undefined): Sink {
  const written: Buffer[] = [];
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, columns === undefined ? {} : { columns, isTTY: true }),
    text: () => Buffer.concat(written).toString(),
  };
}

export interface RunningCommand {
  /** Standard error so far. */
  logged(): string;
  readonly ended: Promise<Ended>;
}

/** Starts a command. */
export function startReeve(
  args: readonly string[],
  settings: Flags,
  more: Environment = {},
  { input = "", cwd = ROOT, columns }: CommandOptions = {},
): RunningCommand {
  const [stdout, stderr] = [createSink(columns), createSink(undefined)];
  const own = {
    argv: [process.execPath, REEVE, ...args],
    env: environmentOf(settings, more),
    cwd: () => cwd,
    stdin: Readable.from([Buffer.from(input)]),
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const ended = runIn(own, runCommandLine).then((code) => ({ code, stdout: stdout.text(), stderr: stderr.text() }));
  return { logged: stderr.text, ended };
}

/** Runs a command until it ends. */
export async function runReeve(...command: Parameters<typeof startReeve>): Promise<Ended> {
  return await startReeve(...command).ended;
}

export interface Server {
  readonly url: string;
  /** Of the first start on a store, where no setting gives one. */
  readonly adminToken: string | null;
  stop(): Promise<void>;
}

/** Starts a server on a free port, unless the settings name one. */
export async function serveReeve(flags: Flags, more: Environment = {}): Promise<Server> {
  const settings = readSettings({ logLevel: "error", port: "0", ...flags }, more);
  const app = await createApp(settings, {
    clock: Date.now,
    logger: createLogger(settings.logLevel, { write: () => undefined }),
    writerThread: settings.databaseUrl === null ? launchThread(WRITER) : undefined,
  });
  const url = await app.server.listen({ port: settings.port, host: "127.0.0.1" });
  const { newToken } = await app.bootstrap();
  return { url, adminToken: newToken, stop: () => app.close() };
}
