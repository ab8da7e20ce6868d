// Continues the removals of deleted teams and accounts. One that fails is tried again later and later, so that it does not hold up the others.
import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS, SECOND_MS } from "../platform/kernel/scheduling/clock.ts";
import type { ChangeRunner } from "../platform/kernel/internal-changes.ts";
import type { Tx } from "../platform/kernel/tx.ts";
import { findNextRemoval } from "../platform/store/removals/store.ts";
import { isStoreFailure } from "../platform/store/failure.ts";
import type { Changes } from "./composition/internal-changes.ts";

const LONGEST_DELAY_MS = 10 * MINUTE_MS;

interface Failed {
  readonly error: unknown;
  readonly delayMs: number;
  /** Of `performance.now()`. */
  readonly retryAt: number;
}

/** Returns a job that takes one step. It throws when all that is left are removals that have failed and wait. */
export function createRemovalJob(reader: Tx, logger: FastifyBaseLogger) {
  const failed = new Map<string, Failed>();

  return async (changes: ChangeRunner<Pick<Changes, "continueRemoval">>, now: number): Promise<number> => {
    const waiting = [...failed].filter(([, { retryAt }]) => retryAt > performance.now());
    const except = JSON.stringify(waiting.map(([ownerId]) => ownerId));
    const next = await findNextRemoval(reader, { except });
    if (!next) {
      const [first] = waiting;
      if (first) throw first[1].error;
      failed.clear();
      return 0;
    }
    const { ownerId } = next;
    try {
      const steps = await changes.continueRemoval(ownerId, now);
      failed.delete(ownerId);
      return steps;
    } catch (error) {
      // It concerns all removals.
      if (isStoreFailure(error)) throw error;
      const before = failed.get(ownerId);
      if (!before) logger.warn({ err: error, owner: ownerId }, "a removal failed and will be tried again");
      const delayMs = before ? Math.min(2 * before.delayMs, LONGEST_DELAY_MS) : SECOND_MS;
      failed.set(ownerId, { error, delayMs, retryAt: performance.now() + delayMs });
      return 1;
    }
  };
}
