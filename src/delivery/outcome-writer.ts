// Stores what came of attempts, and gives webhooks back, in batches: while one is being stored, the next one gathers.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS, SECOND_MS } from "../kernel/scheduling/clock.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { AttemptOutcome, FailingNote, Held, Release, Settlement } from "./queue/queue.ts";
import { isValueRefused } from "../store/failure.ts";
import type { EndpointWorker } from "./endpoint-worker.ts";

export interface Attempted {
  readonly run: EndpointWorker;
  readonly outcome: AttemptOutcome;
  readonly note: FailingNote | null;
  /** It is stored. */
  onStored?(): void;
}

export interface OutcomeWriter {
  /** The attempt's outcome is stored soon, and its run told. */
  add(attempted: Attempted): void;
  /** The run is over and its webhook given back. */
  giveBack(run: EndpointWorker): void;
  /** The same for a webhook of which there is no run. */
  release(release: Release): void;
  /** Resolves when nothing is left to store. */
  drained(): Promise<void>;
}

export interface OutcomeWriterOptions {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Answers the webhooks whose failing and giving back could not be stored beside others'. */
  store(settlement: Settlement): Promise<readonly string[]>;
  /** These runs are over, and their webhooks given back. */
  onGivenBack(runs: readonly EndpointWorker[]): void;
  /** No second try when the store fails, once this is true. */
  isStopping(): boolean;
}

const MAX_BATCH = 256;
/** A webhook of which an outcome can't be stored is left alone: what is not stored would be sent again. */
const REFUSED_REST_MS = 5 * MINUTE_MS;

/** The last note of each webhook; notes are in the order of the attempts. */
function lastNotes(batch: readonly Attempted[]): FailingNote[] {
  const notes = new Map<string, FailingNote>();
  for (const { note } of batch) if (note) notes.set(`${note.webhookId} ${note.holder}`, note);
  return [...notes.values()];
}

/** What a settlement says of a webhook itself. */
function partOf({ failing, releases }: Settlement, webhookId: string): Settlement {
  const isOf = (held: Held) => held.webhookId === webhookId;
  return { outcomes: [], failing: failing.filter(isOf), releases: releases.filter(isOf) };
}

/** An outcome without what the receiver and the network said. */
function bareOutcome(outcome: AttemptOutcome): AttemptOutcome {
  return { ...outcome, error: null, requestHeaders: {}, responseHeaders: {}, responseBody: "", isTruncated: true };
}

export function startOutcomeWriter({
  clock,
  logger,
  store,
  onGivenBack,
  isStopping,
}: OutcomeWriterOptions): OutcomeWriter {
  let attempts: Attempted[] = [];
  const over = new Set<EndpointWorker>();
  let withoutRun: Release[] = [];
  let running: Promise<void> | undefined;

  /**
   * Outcomes are all that is known of requests that were sent: they are kept until the store takes them. Throws when it
   * refuses a value.
   */
  async function storeSurely(settlement: Settlement): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const left = await store(settlement);
        await Promise.all(left.map((webhookId) => storeSurely(partOf(settlement, webhookId))));
        return true;
      } catch (error) {
        if (isValueRefused(error)) throw error;
        const facts = { err: error, attempts: settlement.outcomes.length };
        if (tries === 1) logger.warn(facts, "attempts could not be stored yet");
        if (isStopping()) return false;
        await sleep(SECOND_MS);
      }
    }
  }

  /** Stores outcomes, and answers those that the store refuses: one of them holds up no other. */
  async function storeOutcomes(outcomes: readonly AttemptOutcome[]): Promise<readonly AttemptOutcome[]> {
    try {
      await storeSurely({ outcomes, failing: [], releases: [] });
      return [];
    } catch (error) {
      const [outcome] = outcomes as [AttemptOutcome];
      if (outcomes.length > 1) {
        const middle = outcomes.length >> 1;
        const refused = await storeOutcomes(outcomes.slice(0, middle));
        return [...refused, ...(await storeOutcomes(outcomes.slice(middle)))];
      }
      const bare = bareOutcome(outcome);
      const isKept = await storeSurely({ outcomes: [bare], failing: [], releases: [] }).catch(() => false);
      const facts = { err: error, webhook: outcome.webhookId, sequence: outcome.sequence };
      logger.error(facts, isKept ? "an attempt was stored without its details" : "an attempt could not be stored");
      return isKept ? [] : [outcome];
    }
  }

  /** Stores all of a settlement that can be; answers the outcomes that can't, and undefined when it is too late. */
  async function storeAllButRefused(settlement: Settlement): Promise<readonly AttemptOutcome[] | undefined> {
    try {
      return (await storeSurely(settlement)) ? [] : undefined;
    } catch {
      const refused = await storeOutcomes(settlement.outcomes);
      const ids = new Set(refused.map(({ webhookId }) => webhookId));
      const until = clock() + REFUSED_REST_MS;
      const releases = settlement.releases.map((release) =>
        ids.has(release.webhookId) ? { ...release, heldUntil: Math.max(release.heldUntil, until) } : release,
      );
      try {
        return (await storeSurely({ ...settlement, outcomes: [], releases })) ? refused : undefined;
      } catch (error) {
        logger.error({ err: error }, "webhooks could not be given back");
        return refused;
      }
    }
  }

  async function storeBatch(): Promise<void> {
    const batch = attempts.slice(0, MAX_BATCH);
    attempts = attempts.slice(MAX_BATCH);
    const byRun = Map.groupBy(batch, ({ run }) => run);
    for (const [run, own] of byRun) {
      if (!run.isDoneWith(own.length)) continue;
      run.end();
      over.add(run);
    }
    const givenBack = [...over];
    over.clear();
    const others = withoutRun;
    withoutRun = [];
    const refused = await storeAllButRefused({
      outcomes: batch.map(({ outcome }) => outcome),
      failing: lastNotes(batch),
      releases: [...others, ...givenBack.map((run) => run.release())],
    });
    for (const { run, outcome, onStored } of batch) {
      const isRefused = refused?.includes(outcome) === true;
      if (isRefused) run.rest(clock() + REFUSED_REST_MS);
      run.settled(outcome.sequence);
      if (refused && !isRefused) onStored?.();
    }
    onGivenBack(givenBack);
    for (const run of byRun.keys()) run.pump();
  }

  async function storeAll(): Promise<void> {
    // What ends in the same turn of the event loop is stored together.
    await setImmediate();
    while (attempts.length > 0 || over.size > 0 || withoutRun.length > 0) await storeBatch();
    running = undefined;
  }

  return {
    add(attempted) {
      attempts.push(attempted);
      running ??= storeAll();
    },
    giveBack(ended) {
      over.add(ended);
      running ??= storeAll();
    },
    release(release) {
      withoutRun.push(release);
      running ??= storeAll();
    },
    async drained() {
      await running;
    },
  };
}
