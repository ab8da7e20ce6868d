// What has to be done now and then (announcing, ending, clearing away), in small steps that never stall a writer.
import type { FastifyBaseLogger } from "fastify";
import type { StoreSide } from "./backend.ts";
import { MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Awaitable, Tx } from "../kernel/tx.ts";
import { isAnyEndDue } from "../resources/attack-mode/end.ts";
import { isAnyReplayRunning } from "../resources/webhooks/replay.ts";

interface Round {
  readonly everyMs: number;
  /** Tasks that deal with a bounded number of rows and answer how many. */
  readonly tasks: readonly string[];
  /** A read that says whether the tasks have anything to do, for rounds that come too often to write each time. */
  isDue?(reader: Tx, now: number): Awaitable<boolean>;
}

const ROUNDS: readonly Round[] = [
  {
    everyMs: MINUTE_MS,
    tasks: ["announceExpiry", "purgeSecrets", "endBypasses", "pruneTraffic", "pruneIdempotencyRecords"],
  },
  // Whoever asks is told by the clock; the event should not come much later.
  { everyMs: SECOND_MS, tasks: ["endAttackModes"], isDue: isAnyEndDue },
  { everyMs: SECOND_MS, tasks: ["continueReplay"], isDue: isAnyReplayRunning },
];

export interface Housekeeping {
  /** Resolves when the steps that run are done. */
  stop(): Promise<void>;
}

export function startHousekeeping(backend: StoreSide, clock: Clock, logger: FastifyBaseLogger): Housekeeping {
  const stop = new AbortController();
  const running = new Map<Round, Promise<void>>();

  async function tidy({ tasks, isDue }: Round, failing: Set<string>): Promise<void> {
    for (const task of tasks) {
      try {
        if (!isDue || (await isDue(backend.reader, clock()))) {
          while (!stop.signal.aborted && ((await backend.runTask(task, null, clock())) as number) > 0);
        }
        failing.delete(task);
      } catch (error) {
        // Once for each time that it begins to fail: a store that is away for an hour is no news each second.
        if (!failing.has(task)) logger.warn({ err: error, task }, "housekeeping failed and will be tried again");
        failing.add(task);
      }
    }
  }

  const timers = ROUNDS.map((round) => {
    const failing = new Set<string>();
    return setInterval(() => {
      if (running.has(round)) return;
      running.set(
        round,
        tidy(round, failing).finally(() => running.delete(round)),
      );
    }, round.everyMs).unref();
  });
  return {
    async stop() {
      stop.abort();
      timers.forEach(clearInterval);
      await Promise.all(running.values());
    },
  };
}
