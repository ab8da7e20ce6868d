// Runs the unmodified `vercel` command line client against a started Reeve, with nothing on its way to anywhere else.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { recordEvidence } from "../../harness/evidence.ts";

const CLIENTS = join(import.meta.dirname, "../node_modules");
const GUARD = pathToFileURL(join(import.meta.dirname, "loopback-only.ts")).href;
/** Tells a client that a person types, for commands that a pipe is refused; what is typed comes through the pipe. */
const TERMINAL = "data:text/javascript,Object.defineProperty(process.stdin,'isTTY',{value:true})";
const RUN_TIMEOUT_MS = 120_000;
/** Those that take a value, wherever they stand. */
const OPTIONS = { token: { type: "string" }, scope: { type: "string" } } as const;
/** The discard port, where nothing listens. */
const DEAD_PROXY = "http://127.0.0.1:9";

/** A release of the client: its name in package.json of the folder above. */
export type CliRelease = "vercel" | "vercel-28" | "vercel-64";

/** The response to give when the client asks: waits for `prompt` on its output, then types `answer` and Enter. */
export interface Reply {
  readonly prompt: string;
  readonly answer: string;
}

export interface CliResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Where the client writes what is for people: messages, prompts and errors. */
  readonly stderr: string;
}

function findProgram(release: CliRelease): { readonly file: string; readonly version: string } {
  const folder = join(CLIENTS, release);
  const { bin, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    bin: { vercel: string };
    version: string;
  };
  return { file: join(folder, bin.vercel), version };
}

/** The command that arguments name, without the options before it. */
function commandOf(args: readonly string[]): string {
  const { positionals } = parseArgs({ args: [...args], options: OPTIONS, strict: false, allowPositionals: true });
  return positionals.join(" ");
}

/** One user's installation of the client: a home folder of its own with the client's configuration in it. */
export class Cli implements Disposable {
  readonly #home = mkdtempSync(join(tmpdir(), "reeve-cli-"));
  readonly #apiUrl: string;
  readonly #program: ReturnType<typeof findProgram>;
  readonly #proxy: Readonly<Record<string, string>>;

  constructor(apiUrl: string, release: CliRelease = "vercel") {
    this.#apiUrl = apiUrl;
    this.#program = findProgram(release);
    // The older ones report each run to their vendor and have no switch for that; such a report goes to the proxy. The
    // newest has one, and would send everything through the proxy.
    this.#proxy = release === "vercel-64" ? {} : { https_proxy: DEAD_PROXY, no_proxy: "127.0.0.1" };
  }

  /** A file of the folder in which the client runs. */
  read(file: string): string {
    return readFileSync(join(this.#home, file), "utf8");
  }

  get configFile(): string {
    return join(this.#home, "config.json");
  }

  get authFile(): string {
    return join(this.#home, "auth.json");
  }

  /** Leaves a credential where `vercel login` would. */
  logIn(token: string): void {
    writeFileSync(this.authFile, JSON.stringify({ token }));
  }

  /** Leaves an OpenAPI document where the newest one keeps the one that it would download, for a day. */
  keepOpenApi(spec: unknown): void {
    writeFileSync(join(this.#home, "openapi-spec.json"), JSON.stringify({ fetchedAt: Date.now(), spec }));
  }

  /** Runs one command to its end, and types the replies in their order as the client asks for them; `input` is piped to it instead. */
  async run(
    args: readonly string[],
    replies: readonly Reply[] = [],
    { isTerminal = false, input }: { readonly isTerminal?: boolean; readonly input?: string } = {},
  ): Promise<CliResult> {
    const options = ["--api", this.#apiUrl, "--global-config", this.#home];
    const child = spawn(process.execPath, [this.#program.file, ...options, ...args], {
      cwd: this.#home,
      timeout: RUN_TIMEOUT_MS,
      env: {
        PATH: process.env["PATH"],
        HOME: this.#home,
        // Compiling their bundles takes longer than most commands.
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        // Child processes of the client inherit the guard.
        NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${GUARD}${isTerminal ? ` --import=${TERMINAL}` : ""}`,
        NO_COLOR: "1",
        NO_UPDATE_NOTIFIER: "1",
        VERCEL_TELEMETRY_DISABLED: "1",
        // It would start a program of its own that is not installed here.
        VERCEL_CLI_USE_NATIVE_BINARY: "0",
        ...this.#proxy,
      },
    });
    const output = { stdout: "", stderr: "" };
    const waiting = [...replies];
    let unanswered = "";
    function read(stream: "stdout" | "stderr", chunk: string): void {
      const text = stripVTControlCharacters(chunk);
      output[stream] += text;
      unanswered += text;
      const next = waiting[0];
      if (!next || !unanswered.includes(next.prompt)) return;
      waiting.shift();
      unanswered = "";
      child.stdin.write(`${next.answer}\n`);
    }
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => read("stdout", chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => read("stderr", chunk));
    // A client that ends before it has read a response shows that in its exit code.
    child.stdin.on("error", () => {});
    if (replies.length === 0) child.stdin.end(input);
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    if (exitCode === 0) recordEvidence(`cli ${this.#program.version} ${commandOf(args)}`);
    return { exitCode, ...output };
  }

  [Symbol.dispose](): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}
