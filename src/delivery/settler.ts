// Stores what came of attempts, and gives webhooks back, in batches: while one is being stored, the next one gathers.
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { SECOND_MS } from "../kernel/clock.ts";
import type { AttemptOutcome, FailingNote, Held, Release, Settlement } from "../resources/webhooks/queue.ts";
import type { WebhookRun } from "./webhook-run.ts";

export interface Attempted {
  readonly run: WebhookRun;
  readonly outcome: AttemptOutcome;
  readonly note: FailingNote | null;
  /** It is stored. */
  onStored?(): void;
}

export interface Settler {
  /** The attempt's outcome is stored soon, and its run told. */
  add(attempted: Attempted): void;
  /** The run is over and its webhook given back. */
  giveBack(run: WebhookRun): void;
  /** The same for a webhook of which there is no run. */
  release(release: Release): void;
  /** Resolves when nothing is left to store. */
  drained(): Promise<void>;
}

export interface SettlerOptions {
  readonly logger: FastifyBaseLogger;
  /** Answers the webhooks whose failing and giving back could not be stored beside others'. */
  store(settlement: Settlement): Promise<readonly string[]>;
  /** These runs are over, and their webhooks given back. */
  onGivenBack(runs: readonly WebhookRun[]): void;
  /** No second try when the store fails, once this is true. */
  isStopping(): boolean;
}

const MAX_BATCH = 256;

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

export function startSettler({ logger, store, onGivenBack, isStopping }: SettlerOptions): Settler {
  let attempts: Attempted[] = [];
  const over = new Set<WebhookRun>();
  let releases: Release[] = [];
  let running: Promise<void> | undefined;

  /** Outcomes are all that is known of requests that were sent: they are kept until the store takes them. */
  async function storeSurely(settlement: Settlement): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const left = await store(settlement);
        await Promise.all(left.map((webhookId) => storeSurely(partOf(settlement, webhookId))));
        return true;
      } catch (error) {
        const facts = { err: error, attempts: settlement.outcomes.length };
        if (tries === 1) logger.warn(facts, "attempts could not be stored yet");
        if (isStopping()) return false;
        await sleep(SECOND_MS);
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
    const others = releases;
    releases = [];
    const isStored = await storeSurely({
      outcomes: batch.map(({ outcome }) => outcome),
      failing: lastNotes(batch),
      releases: [...others, ...givenBack.map((run) => run.release())],
    });
    for (const { run, outcome, onStored } of batch) {
      run.settled(outcome.sequence);
      if (isStored) onStored?.();
    }
    onGivenBack(givenBack);
    for (const run of byRun.keys()) run.pump();
  }

  async function storeAll(): Promise<void> {
    // What ends in the same turn of the event loop is stored together.
    await setImmediate();
    while (attempts.length > 0 || over.size > 0 || releases.length > 0) await storeBatch();
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
      releases.push(release);
      running ??= storeAll();
    },
    async drained() {
      await running;
    },
  };
}
