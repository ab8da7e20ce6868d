// Housekeeping: periodic work such as announcing, ending and deleting, in small steps that do not delay other writers.
import { setTimeout } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { StoreRunner } from "./store-runner.ts";
import type { Changes } from "./composition/internal-changes.ts";
import type { ChangeRunner } from "../platform/kernel/internal-changes.ts";
import type { Settings } from "./config/config.ts";
import { MINUTE_MS, SECOND_MS } from "../platform/kernel/scheduling/clock.ts";
import { LONGEST_DELAYS_MS } from "../events/mails/sending/mail-schedule.ts";
import type { Clock } from "../platform/kernel/scheduling/clock.ts";
import type { Metrics } from "../platform/kernel/telemetry/metrics.ts";
import type { Awaitable, Tx } from "../platform/kernel/tx.ts";
import { isAnyEndDue } from "../firewall/attack-mode/end.ts";
import { isAnyLearningDue } from "../firewall/traffic/automatic/learn.ts";
import type { Retention } from "../events/queue/prune.ts";
import { isAnyRemovalPending } from "../platform/store/removals/remove.ts";
import { createRemovalJob } from "./removal-job.ts";
import { isAnyRefreshDue } from "../platform/store/search/entries.ts";
import { isAnyReplayRunning } from "../events/queue/replay.ts";

/** An internal change that handles a bounded number of rows and returns how many. */
interface Job {
  readonly name: keyof Changes;
  run(changes: ChangeRunner<Changes>, now: number): Promise<number>;
}

interface Round {
  readonly everyMs: number;
  readonly jobs: readonly Job[];
  /** Reads whether the jobs have work, for rounds that are too frequent to write each time. */
  isDue?(reader: Tx, now: number): Awaitable<boolean>;
}

type WithoutInput = {
  [Name in keyof Changes]: Changes[Name] extends (tx: Tx, input: null, now: number) => Promise<number> ? Name : never;
}[keyof Changes];

const jobOf = (name: WithoutInput): Job => ({ name, run: (changes, now) => changes[name](null, now) });

/** Repairs due times that are too late because a clock was ahead. */
const CLOCK_SKEW_REPAIRS: readonly Job[] = [
  jobOf("repairDeliveryTimes"),
  { name: "repairMailTimes", run: (changes, now) => changes.repairMailTimes(LONGEST_DELAYS_MS, now) },
];

const pruneEventsAfter = (retentionDays: number): Job => ({
  name: "pruneEvents",
  run: (changes, now) => changes.pruneEvents({ retentionDays }, now),
});

/** The jobs of a round wait for each other; a job that may have much to do has a round of its own. */
function roundsOf(
  { eventsRetentionDays: retentionDays, deliveriesRetentionDays }: Settings,
  continueRemovals: Job["run"],
): readonly Round[] {
  const retention: Retention = { keptDays: deliveriesRetentionDays };
  const short: readonly WithoutInput[] = [
    "announceExpiry",
    "purgeSecrets",
    "endBypasses",
    "pruneTraffic",
    "pruneDecisions",
    "forgetEngines",
    "pruneIdempotencyRecords",
    "pruneMailCounts",
    "pruneSessions",
    "pruneSignInCodes",
    "pruneSignInFailures",
    "pruneOAuthRecords",
    "pruneExchanges",
  ];
  return [
    { everyMs: MINUTE_MS, jobs: short.map(jobOf) },
    { everyMs: MINUTE_MS, jobs: [jobOf("checkpointDue")] },
    { everyMs: MINUTE_MS, jobs: CLOCK_SKEW_REPAIRS },
    {
      everyMs: MINUTE_MS,
      jobs: [{ name: "pruneDeliveries", run: (changes, now) => changes.pruneDeliveries(retention, now) }],
    },
    ...(retentionDays === null ? [] : [{ everyMs: MINUTE_MS, jobs: [pruneEventsAfter(retentionDays)] }]),
    // Reads compute the end of the mode themselves, but the event should be recorded soon after it.
    { everyMs: SECOND_MS, jobs: [jobOf("endAttackModes")], isDue: isAnyEndDue },
    { everyMs: MINUTE_MS, jobs: [jobOf("learnUsualTraffic")], isDue: isAnyLearningDue },
    { everyMs: SECOND_MS, jobs: [jobOf("continueReplay")], isDue: isAnyReplayRunning },
    { everyMs: SECOND_MS, jobs: [{ name: "continueRemoval", run: continueRemovals }], isDue: isAnyRemovalPending },
    { everyMs: SECOND_MS, jobs: [jobOf("refreshSearch")], isDue: isAnyRefreshDue },
  ];
}

export interface Housekeeping {
  /** Resolves when the steps in flight are done. */
  stop(): Promise<void>;
}

export function startHousekeeping(
  runner: StoreRunner,
  settings: Settings,
  { clock, logger, metrics }: { readonly clock: Clock; readonly logger: FastifyBaseLogger; readonly metrics: Metrics },
): Housekeeping {
  const stop = new AbortController();
  const running = new Map<Round, Promise<void>>();
  const rounds = roundsOf(settings, createRemovalJob(runner.reader, logger));
  /** Why each job that fails does. */
  const failing = new Map<string, string>();
  metrics.read("housekeepingFailing", () =>
    rounds.flatMap(({ jobs }) =>
      jobs.map(({ name }) => ({ labels: { work: name }, value: failing.has(name) ? 1 : 0 })),
    ),
  );

  /**
   * Repeats a job until nothing is left, and pauses after each step for as long as the step took, so that other writers get
   * half of the time.
   */
  async function exhaust(job: Job): Promise<void> {
    while (!stop.signal.aborted) {
      const startedAt = performance.now();
      if ((await job.run(runner.changes, clock())) === 0) return;
      const pause = setTimeout(performance.now() - startedAt, undefined, { ref: false, signal: stop.signal });
      await pause.catch(() => undefined);
    }
  }

  async function runRound({ jobs, isDue }: Round): Promise<void> {
    for (const job of jobs) {
      try {
        if (!isDue || (await isDue(runner.reader, clock()))) await exhaust(job);
        failing.delete(job.name);
      } catch (error) {
        // Each reason once, not at every run of each job; the metric names them all.
        const reason = error instanceof Error ? error.message : String(error);
        if (![...failing.values()].includes(reason)) {
          logger.warn({ err: error, job: job.name }, "housekeeping failed and will be tried again");
        }
        failing.set(job.name, reason);
      }
    }
  }

  const timers = rounds.map((round) =>
    setInterval(() => {
      if (running.has(round)) return;
      running.set(
        round,
        runRound(round).finally(() => running.delete(round)),
      );
    }, round.everyMs).unref(),
  );
  return {
    async stop() {
      stop.abort();
      timers.forEach(clearInterval);
      await Promise.all(running.values());
    },
  };
}
