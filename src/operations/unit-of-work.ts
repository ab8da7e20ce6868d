// What changes the store: a caller's mutation, a task that nobody called for, and a probe of whether anything can.
import { executeCommand } from "./execute.ts";
import type { OperationRequest } from "./execute.ts";
import type { OperationRegistry } from "../kernel/operation-registry.ts";
import type { WriteTx } from "../store/database.ts";
import { writeProbe } from "../store/probe.ts";

/** Plain data, so that it can be posted to the writer thread. */
export type UnitOfWork =
  | { readonly request: OperationRequest }
  | { readonly task: string; readonly input: unknown; readonly now: number }
  | { readonly probedAt: number };

/** Does the work inside `tx`; may run again after a lost race. */
export async function runUnitOfWork(catalogue: OperationRegistry, tx: WriteTx, work: UnitOfWork): Promise<unknown> {
  if ("request" in work) return await executeCommand(catalogue, tx, work.request);
  if ("probedAt" in work) return await writeProbe(tx, work.probedAt);
  const task = catalogue.tasks[work.task];
  if (!task) throw new Error(`unknown task ${work.task}`);
  return await task(tx, work.input as never, work.now);
}
