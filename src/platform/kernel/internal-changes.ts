// Internal changes: changes of the store that no request asks for (bookkeeping, pruning, what the command line does). The map of
// all of them is src/serve/composition/internal-changes.ts; these types derive from it what each takes and returns, wherever it is called.
import type { Tx } from "./tx.ts";

/** Runs in its own transaction, again after a lost race. Input and output are plain data that threads can exchange. */
export type InternalChange = (tx: Tx, input: never, now: number) => Promise<unknown>;

export type InternalChanges = Readonly<Record<string, InternalChange>>;

/** The same changes without their transaction, for those who have none: each call opens one and commits it. */
export type ChangeRunner<C extends InternalChanges> = {
  readonly [Name in keyof C]: (input: Parameters<C[Name]>[1], now: number) => ReturnType<C[Name]>;
};

/** A call of one of them as data. */
export type ChangeCall<C extends InternalChanges> = {
  readonly [Name in keyof C & string]: {
    readonly change: Name;
    readonly input: Parameters<C[Name]>[1];
    readonly now: number;
  };
}[keyof C & string];
