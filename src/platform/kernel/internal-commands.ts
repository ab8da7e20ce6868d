// Internal commands: changes of the store that no request asks for (bookkeeping, pruning, what the command line does). The map of
// all of them is src/serve/composition/internal-commands.ts; these types derive from it what each takes and returns, wherever it is called.
import type { Tx } from "./tx.ts";

/** Runs in its own transaction, again after a lost race. Input and output are plain data that threads can exchange. */
export type InternalCommand = (tx: Tx, input: never, now: number) => Promise<unknown>;

export type InternalCommands = Readonly<Record<string, InternalCommand>>;

/** The same commands without their transaction, for those who have none: each call opens one and commits it. */
export type CommandRunner<C extends InternalCommands> = {
  readonly [Name in keyof C]: (input: Parameters<C[Name]>[1], now: number) => ReturnType<C[Name]>;
};

/** A call of one of the commands as data. */
export type CommandCall<C extends InternalCommands> = {
  readonly [Name in keyof C & string]: {
    readonly command: Name;
    readonly input: Parameters<C[Name]>[1];
    readonly now: number;
  };
}[keyof C & string];
