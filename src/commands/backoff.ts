// How commands that change much, step by step, leave room for the servers of the same store.
import { setTimeout } from "node:timers/promises";
import type { Engine } from "../kernel/tx.ts";

/**
 * Waits as long as the step took that began at `startedAt` (of `performance.now`). The embedded store has one writer, and
 * whoever waits for it only looks now and then: half of the time is theirs.
 */
export async function backOff(engine: Engine, startedAt: number): Promise<void> {
  if (engine === "sqlite") await setTimeout(performance.now() - startedAt);
}
