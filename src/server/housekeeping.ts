// What has to be done now and then (announcing, ending, clearing away), in small steps that never stall a writer.
import { setTimeout } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { StoreRunner } from "./store-side.ts";
import type { Settings } from "../config/config.ts";
import { MINUTE_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";
import { LONGEST_DELAYS_MS } from "../delivery/mail/mail-schedule.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Awaitable, Tx } from "../kernel/tx.ts";
import { isAnyEndDue } from "../resources/attack-mode/end.ts";
import type { Retention } from "../delivery/queue/prune.ts";
import { isAnyRemovalPending } from "../resources/removals/remove.ts";
import { isAnyRefreshDue } from "../resources/search/entries.ts";
import { isAnyReplayRunning } from "../delivery/queue/replay.ts";

/** Deals with a bounded number of rows and answers how many. */
interface Task {
  readonly name: string;
  readonly input: unknown;
}

interface Round {
  readonly everyMs: number;
  readonly tasks: readonly Task[];
  /** A read that says whether the tasks have anything to do, for rounds that come too often to write each time. */
  isDue?(reader: Tx, now: number): Awaitable<boolean>;
}

const withoutInput = (name: string): Task => ({ name, input: null });

/** What a clock that was ahead has put off is made due. */
const PUT_OFF: readonly Task[] = [
  withoutInput("bringDeliveriesForward"),
  { name: "bringMailsForward", input: LONGEST_DELAYS_MS },
];

/** Tasks of one round wait for each other; what may have much to do has a round of its own. */
function roundsOf({ eventsRetentionDays: retentionDays, deliveriesRetentionDays }: Settings): readonly Round[] {
  const kept: Retention = { keptDays: deliveriesRetentionDays };
  const many = [
    "announceExpiry",
    "purgeSecrets",
    "endBypasses",
    "pruneTraffic",
    "pruneIdempotencyRecords",
    "pruneMailCounts",
  ];
  return [
    { everyMs: MINUTE_MS, tasks: many.map(withoutInput) },
    { everyMs: MINUTE_MS, tasks: [withoutInput("checkpointDue")] },
    { everyMs: MINUTE_MS, tasks: PUT_OFF },
    { everyMs: MINUTE_MS, tasks: [{ name: "pruneDeliveries", input: kept }] },
    ...(retentionDays === null
      ? []
      : [{ everyMs: MINUTE_MS, tasks: [{ name: "pruneEvents", input: { retentionDays } }] }]),
    // Whoever asks is told by the clock; the event should not come much later.
    { everyMs: SECOND_MS, tasks: [withoutInput("endAttackModes")], isDue: isAnyEndDue },
    { everyMs: SECOND_MS, tasks: [withoutInput("continueReplay")], isDue: isAnyReplayRunning },
    { everyMs: SECOND_MS, tasks: [withoutInput("continueRemoval")], isDue: isAnyRemovalPending },
    { everyMs: SECOND_MS, tasks: [withoutInput("refreshSearch")], isDue: isAnyRefreshDue },
  ];
}

export interface Housekeeping {
  /** Resolves when the steps that run are done. */
  stop(): Promise<void>;
}

export function startHousekeeping(
  backend: StoreRunner,
  settings: Settings,
  { clock, logger }: { readonly clock: Clock; readonly logger: FastifyBaseLogger },
): Housekeeping {
  const stop = new AbortController();
  const running = new Map<Round, Promise<void>>();

  /** Goes on until nothing is left. However much that is, half of the time is for others. */
  async function exhaust({ name, input }: Task): Promise<void> {
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      if (((await backend.runTask(name, input, clock())) as number) === 0) return;
      const pause = setTimeout(performance.now() - startedAt, undefined, { ref: false, signal: stop.signal });
      await pause.catch(() => undefined);
    }
  }

  async function tidy({ tasks, isDue }: Round, failing: Set<string>): Promise<void> {
    for (const task of tasks) {
      try {
        if (!isDue || (await isDue(backend.reader, clock()))) await exhaust(task);
        failing.delete(task.name);
      } catch (error) {
        // Once for each time that it begins to fail: a store that is away for an hour is no news each second.
        if (!failing.has(task.name)) {
          logger.warn({ err: error, task: task.name }, "housekeeping failed and will be tried again");
        }
        failing.add(task.name);
      }
    }
  }

  const timers = roundsOf(settings).map((round) => {
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
