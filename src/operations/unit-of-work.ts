// What changes the store: a caller's mutation, a task that nobody called for, and a probe of whether anything can.
import { performWrite } from "./execute.ts";
import type { PerformRequest } from "./execute.ts";
import type { Catalogue } from "../kernel/operation-registry.ts";
import type { WriteTx } from "../store/database.ts";
import { writeProbe } from "../store/probe.ts";

/** Plain data, so that it can be posted to the writer thread. */
export type Work =
  | { readonly request: PerformRequest }
  | { readonly task: string; readonly input: unknown; readonly now: number }
  | { readonly probedAt: number };

/** Does the work inside `tx`; may run again after a lost race. */
export async function runWork(catalogue: Catalogue, tx: WriteTx, work: Work): Promise<unknown> {
  if ("request" in work) return await performWrite(catalogue, tx, work.request);
  if ("probedAt" in work) return await writeProbe(tx, work.probedAt);
  const task = catalogue.tasks[work.task];
  if (!task) throw new Error(`unknown task ${work.task}`);
  return await task(tx, work.input as never, work.now);
}
