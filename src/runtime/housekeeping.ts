// What has to be cleared away now and then, in small steps that never stall a writer.
import type { FastifyBaseLogger } from "fastify";
import type { StoreSide } from "./backend.ts";
import { MINUTE_MS } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";

const INTERVAL_MS = 10 * MINUTE_MS;
/** Tasks that delete a bounded number of rows and answer how many. */
const PRUNING_TASKS = ["pruneIdempotencyRecords"] as const;

export interface Housekeeping {
  /** Resolves when the step that runs is done. */
  stop(): Promise<void>;
}

export function startHousekeeping(backend: StoreSide, clock: Clock, logger: FastifyBaseLogger): Housekeeping {
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function prune(): Promise<void> {
    for (const task of PRUNING_TASKS) {
      try {
        while (!stop.signal.aborted && ((await backend.runTask(task, null, clock())) as number) > 0);
      } catch (error) {
        logger.warn({ err: error, task }, "housekeeping failed and will be tried again");
      }
    }
  }

  const timer = setInterval(() => {
    running = running.then(prune);
  }, INTERVAL_MS).unref();
  return {
    async stop() {
      stop.abort();
      clearInterval(timer);
      await running;
    },
  };
}
