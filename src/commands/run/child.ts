// The program that `reeve run` starts: its start, its end, and the signals that are passed on to it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { Failure } from "../../cli/failure.ts";

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
  E2BIG: "its arguments and variables are together more than the system takes",
};

function explainStart(program: string, error: unknown): unknown {
  const { code = "" } = error as NodeJS.ErrnoException;
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new Failure("notFound", `cannot start ${program}: there is no such program`, "program_not_found");
  }
  const reason = NOT_EXECUTABLE[code];
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
    throw explainStart(program, error);
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

const PASSED = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;
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
    passTo: (next) => (program = next),
    get received() {
      return received;
    },
    end() {
      for (const signal of PASSED) process.off(signal, pass);
    },
  };
  return state;
}
