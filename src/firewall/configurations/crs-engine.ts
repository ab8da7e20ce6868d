// Which engine enforces the categories of `crs`: what a gate says, for as long as it goes on saying so.
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { clearEngines, findEngine, setEngine } from "./store.ts";

/** Gates report every five minutes. */
const FORGOTTEN_MS = 15 * MINUTE_MS;

/** Null: nothing does. */
export async function readEngine(tx: Tx, project: ProjectKey): Promise<string | null> {
  return (await findEngine(tx, project))?.engine ?? null;
}

/** Does nothing for a project that never had a configuration. */
export async function recordEngine(tx: Tx, project: ProjectKey, engine: string, now: number): Promise<void> {
  await setEngine(tx, { ...project, engine, now });
}

/** Forgets engines that no gate reports any more. Returns the number of firewalls. */
export async function forgetEngines(tx: Tx, _input: null, now: number): Promise<number> {
  return await clearEngines(tx, { before: now - FORGOTTEN_MS });
}
