// What has to be done now and then (announcing, clearing away), in small steps that never stall a writer.
import type { FastifyBaseLogger } from "fastify";
import type { StoreSide } from "./backend.ts";
import { MINUTE_MS } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";

const INTERVAL_MS = MINUTE_MS;
/** Tasks that deal with a bounded number of rows and answer how many. */
const TASKS = ["announceExpiry", "purgeSecrets", "pruneIdempotencyRecords"] as const;

export interface Housekeeping {
  /** Resolves when the step that runs is done. */
  stop(): Promise<void>;
}

export function startHousekeeping(backend: StoreSide, clock: Clock, logger: FastifyBaseLogger): Housekeeping {
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function tidy(): Promise<void> {
    for (const task of TASKS) {
      try {
        while (!stop.signal.aborted && ((await backend.runTask(task, null, clock())) as number) > 0);
      } catch (error) {
        logger.warn({ err: error, task }, "housekeeping failed and will be tried again");
      }
    }
  }

  const timer = setInterval(() => {
    running = running.then(tidy);
  }, INTERVAL_MS).unref();
  return {
    async stop() {
      stop.abort();
      clearInterval(timer);
      await running;
    },
  };
}
