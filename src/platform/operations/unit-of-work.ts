// Units of work that change the store: a mutation of a request, an internal change, or a probe of writing.
import { executeMutation } from "./execute.ts";
import type { OperationRequest } from "./execute.ts";
import type { ChangeCall, ChangeRunner, InternalChanges } from "../kernel/internal-changes.ts";
import type { OperationRegistry } from "../kernel/operation-registry.ts";
import type { WriteTx } from "../store/database.ts";
import { writeProbe } from "../store/probe.ts";
import { NO_OWNER } from "../store/versions.ts";

/** Plain data, so that it can be posted to the writer thread. */
export type UnitOfWork<C extends InternalChanges> =
  | { readonly request: OperationRequest }
  | ChangeCall<C>
  | { readonly isProbe: true };

/** Runs the work inside `tx`; may run again after a lost race. */
export async function runUnitOfWork<C extends InternalChanges>(
  registry: OperationRegistry<C>,
  tx: WriteTx,
  work: UnitOfWork<C>,
): Promise<unknown> {
  if ("request" in work) return await executeMutation(registry, tx, work.request);
  if ("isProbe" in work) return await writeProbe(tx);
  const change = registry.changes[work.change];
  if (!change) throw new Error(`unknown internal change ${work.change}`);
  if (registry.bookkeeping.has(work.change)) tx.changesOnly(NO_OWNER);
  return await change(tx, work.input, work.now);
}

/** Internal changes as functions, each of which hands its call to `run`. */
export function createChangeRunner<C extends InternalChanges>(
  changes: C,
  run: (call: ChangeCall<C>) => Promise<unknown>,
): ChangeRunner<C> {
  const runners = Object.keys(changes).map((change) => [
    change,
    (input: unknown, now: number) => run({ change, input, now } as ChangeCall<C>),
  ]);
  return Object.fromEntries(runners) as ChangeRunner<C>;
}
