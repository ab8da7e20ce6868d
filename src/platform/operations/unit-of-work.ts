// Units of work that change the store: a mutation of a request, an internal command, or a probe of writing.
import { executeMutation } from "./execute.ts";
import type { OperationRequest } from "./execute.ts";
import type { CommandCall, CommandRunner, InternalCommands } from "../kernel/internal-commands.ts";
import type { OperationRegistry } from "../kernel/operation-registry.ts";
import type { WriteTx } from "../store/database.ts";
import { writeProbe } from "../store/probe.ts";
import { NO_OWNER } from "../store/versions.ts";

/** Plain data, so that it can be posted to the writer thread. */
export type UnitOfWork<C extends InternalCommands> =
  | { readonly request: OperationRequest }
  | CommandCall<C>
  | { readonly isProbe: true };

/** Runs the work inside `tx`; may run again after a lost race. */
export async function runUnitOfWork<C extends InternalCommands>(
  registry: OperationRegistry<C>,
  tx: WriteTx,
  work: UnitOfWork<C>,
): Promise<unknown> {
  if ("request" in work) return await executeMutation(registry, tx, work.request);
  if ("isProbe" in work) return await writeProbe(tx);
  const command = registry.commands[work.command];
  if (!command) throw new Error(`unknown internal command ${work.command}`);
  if (registry.bookkeeping.has(work.command)) tx.changesOnly(NO_OWNER);
  return await command(tx, work.input, work.now);
}

/** The commands as functions, each of which hands its call to `run`. */
export function createCommandRunner<C extends InternalCommands>(
  commands: C,
  run: (call: CommandCall<C>) => Promise<unknown>,
): CommandRunner<C> {
  const runners = Object.keys(commands).map((command) => [
    command,
    (input: unknown, now: number) => run({ command, input, now } as CommandCall<C>),
  ]);
  return Object.fromEntries(runners) as CommandRunner<C>;
}
