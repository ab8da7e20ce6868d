// The program that `reeve run` starts: its start, its end, and the signals that are passed on to it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { Failure } from "../../../platform/outcomes/failure.ts";

export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Program {
  readonly ended: Promise<ProgramEnd>;
  kill(signal: NodeJS.Signals): void;
}

const NOT_EXECUTABLE: Readonly<Record<string, string>> = {
  EACCES: "this user may not execute it",
  EPERM: "this user may not execute it",
  ENOEXEC: "it is no program of this machine, and has no line that names its interpreter",
};

/** What takes the most room of what the system had no room for. */
function describeSize(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const variables = Object.entries(env).map(([name, value = ""]): [string, number] => [
    name,
    Buffer.byteLength(`${name}=${value}`),
  ]);
  const total = variables.reduce((sum, [, size]) => sum + size, Buffer.byteLength(args.join(" ")));
  const largest = variables.toSorted(([, one], [, other]) => other - one).slice(0, 3);
  return (
    `its arguments and variables are together ${total} bytes, and the system takes less; the largest variables are ` +
    `${largest.map(([name, size]) => `${name} (${size})`).join(", ")}; --names passes chosen values only`
  );
}

function explainStart([program = "", ...args]: readonly string[], env: NodeJS.ProcessEnv, error: unknown): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") {
    const problem = `cannot start ${program}: there is no such program`;
    const isThere = program.includes("/") && existsSync(program);
    const detail = isThere ? `${problem} as its first line names for it` : problem;
    return new Failure("notFound", detail, "program_not_found");
  }
  const reason = code === "E2BIG" ? describeSize(args, env) : NOT_EXECUTABLE[code];
  if (reason === undefined) return error;
  return new Failure("notExecutable", `cannot start ${program}: ${reason}`, "program_not_executable");
}

/** Starts a program with the standard streams of this process; throws a Failure where it cannot be started. */
export async function startProgram(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Program> {
  const [program = "", ...args] = command;
  try {
    const child = spawn(program, args, { stdio: "inherit", env });
    const ended = new Promise<ProgramEnd>((resolve) => {
      child.once("exit", (code, signal) => resolve({ code, signal }));
    });
    await once(child, "spawn");
    // A signal that cannot be sent: the program has ended, which `exit` says.
    child.on("error", () => undefined);
    return { ended, kill: (signal) => void child.kill(signal) };
  } catch (error) {
    throw explainStart(command, env, error);
  }
}

/** As shells count it. */
export function exitCodeOf({ code, signal }: ProgramEnd): number {
  return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
}

/** Asks a program to stop, and kills it when it has not after the time. */
export async function stopProgram(program: Program, timeoutMs: number): Promise<void> {
  program.kill("SIGTERM");
  const timer = setTimeout(() => program.kill("SIGKILL"), timeoutMs);
  await program.ended;
  clearTimeout(timer);
}

/** Without a listener SIGUSR1 would open the debugger of Node.js, by which others on this machine could read the values. */
const PASSED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const;
/** A terminal sends these to every process in its foreground: passed on, the program would get them twice. */
const FROM_TERMINAL: readonly string[] = ["SIGINT", "SIGQUIT"];

export interface SignalPass {
  /** From now on signals are for this program. */
  passTo(program: Program): void;
  /** The last signal that came while `isRestarting`, which the end of the program does not tell of; null: none. */
  readonly received: NodeJS.Signals | null;
  isRestarting: boolean;
  end(): void;
}

/** Passes signals on instead of ending of them. */
export function passSignals(): SignalPass {
  let program: Program | null = null;
  let received: NodeJS.Signals | null = null;
  const pass = (signal: NodeJS.Signals) => {
    if (state.isRestarting || program === null) received = signal;
    if (process.stdin.isTTY && FROM_TERMINAL.includes(signal)) return;
    program?.kill(signal);
  };
  for (const signal of PASSED) process.on(signal, pass);
  const state: SignalPass = {
    isRestarting: false,
    passTo(next) {
      program = next;
      // It came before there was a program.
      if (received !== null) next.kill(received);
      received = null;
    },
    get received() {
      return received;
    },
    end() {
      for (const signal of PASSED) process.off(signal, pass);
    },
  };
  return state;
}
