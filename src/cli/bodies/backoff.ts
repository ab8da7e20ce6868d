// Leaves time to servers of the same store while a command changes much, step by step.
import { setTimeout } from "node:timers/promises";
import type { Engine } from "../../platform/kernel/tx.ts";

/**
 * Waits as long as the last step took; `startedAt` is its `performance.now()`. The embedded store has one writer, and waiting
 * writers poll for it, so they get half of the time. PostgreSQL needs no pause.
 */
export async function backOff(engine: Engine, startedAt: number): Promise<void> {
  if (engine === "sqlite") await setTimeout(performance.now() - startedAt);
}
