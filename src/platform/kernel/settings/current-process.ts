// The process that a command runs in. Tests run commands in their own process, each with its own arguments, variables and streams.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Readable, Writable } from "node:stream";

/** What a command uses of its process: `process` is one. */
export interface CommandProcess {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  cwd(): string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Terminal;
  readonly stderr: Terminal;
}

/** A stream of a process, which may be a terminal. */
export type Terminal = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const given = new AsyncLocalStorage<CommandProcess>();

/** The process of the command that calls this: the real one, unless `runIn` gave another one. */
export const currentProcess = (): CommandProcess => given.getStore() ?? process;

/** Runs `work` so that `currentProcess()` is this one, in what `work` awaits too. */
export function runIn<T>(one: CommandProcess, work: () => T): T {
  return given.run(one, work);
}
