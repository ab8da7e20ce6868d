// Runs the unmodified `vercel` command line client against a started Reeve, with nothing on its way to anywhere else.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";

const CLI = join(import.meta.dirname, "../node_modules/vercel/dist/vc.js");
const GUARD = pathToFileURL(join(import.meta.dirname, "loopback-only.ts")).href;
const RUN_TIMEOUT_MS = 30_000;
/** The discard port, where nothing listens. */
const DEAD_PROXY = "http://127.0.0.1:9";

/** The answer to give when the client asks: waits for `prompt` on its output, then types `answer` and Enter. */
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

/** One user's installation of the client: a home folder of its own with the client's configuration in it. */
export class Cli {
  readonly #home = mkdtempSync(join(tmpdir(), "reeve-cli-"));
  readonly #apiUrl: string;

  constructor(apiUrl: string) {
    this.#apiUrl = apiUrl;
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

  /** Runs one command to its end, and types the replies in their order as the client asks for them. */
  async run(args: readonly string[], replies: readonly Reply[] = []): Promise<CliResult> {
    const child = spawn(process.execPath, [CLI, "--api", this.#apiUrl, "--global-config", this.#home, ...args], {
      cwd: this.#home,
      timeout: RUN_TIMEOUT_MS,
      env: {
        PATH: process.env["PATH"],
        HOME: this.#home,
        // Child processes of the client inherit the guard.
        NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${GUARD}`,
        NO_COLOR: "1",
        NO_UPDATE_NOTIFIER: "1",
        VERCEL_TELEMETRY_DISABLED: "1",
        // The client reports each run to its vendor and has no switch for that; such a report goes to the proxy.
        https_proxy: DEAD_PROXY,
        no_proxy: "127.0.0.1",
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
    // A client that ends before it has read an answer shows that in its exit code.
    child.stdin.on("error", () => {});
    if (replies.length === 0) child.stdin.end();
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject).once("close", resolve);
    });
    return { exitCode, ...output };
  }

  remove(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}
