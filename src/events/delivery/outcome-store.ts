// Stores batches of outcomes. It retries while the store fails, and isolates the values that the store refuses.
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { AttemptOutcome, Lease, OutcomeBatch } from "../queue/queue.ts";
import { isValueRefused } from "../../platform/store/failure.ts";

export interface OutcomeStoreOptions {
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  /** Returns the webhooks whose notes and releases could not be stored together with others. */
  store(batch: OutcomeBatch): Promise<readonly string[]>;
  /** Once this is true, a failure of the store is not retried. */
  isStopping(): boolean;
}

export interface OutcomeStore {
  /**
   * Retries until the store accepts the batch, since outcomes are the only record of sent requests. Resolves to false when the
   * process stops before that, and throws when the store refuses a value.
   */
  storeBatch(batch: OutcomeBatch): Promise<boolean>;
  /** Returns the outcomes that the store refuses; one of them does not keep the others from being stored. */
  storeOutcomes(outcomes: readonly AttemptOutcome[]): Promise<readonly AttemptOutcome[]>;
}

/** The notes and releases of one webhook. */
function partOf({ failing, releases }: OutcomeBatch, webhookId: string): OutcomeBatch {
  const isOf = (lease: Lease) => lease.webhookId === webhookId;
  return { outcomes: [], failing: failing.filter(isOf), releases: releases.filter(isOf) };
}

/** The outcome without texts from the receiver and the network. */
function bareOutcome(outcome: AttemptOutcome): AttemptOutcome {
  return { ...outcome, error: null, requestHeaders: {}, responseHeaders: {}, responseBody: "", isTruncated: true };
}

const batchOf = (outcomes: readonly AttemptOutcome[]): OutcomeBatch => ({ outcomes, failing: [], releases: [] });

export function createOutcomeStore({ logger, store, isStopping }: OutcomeStoreOptions): OutcomeStore {
  async function storeBatch(batch: OutcomeBatch): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const left = await store(batch);
        await Promise.all(left.map((webhookId) => storeBatch(partOf(batch, webhookId))));
        return true;
      } catch (error) {
        if (isValueRefused(error)) throw error;
        const context = { err: error, attempts: batch.outcomes.length };
        if (tries === 1) logger.warn(context, "attempts could not be stored yet");
        if (isStopping()) return false;
        await sleep(SECOND_MS);
      }
    }
  }

  async function storeOutcomes(outcomes: readonly AttemptOutcome[]): Promise<readonly AttemptOutcome[]> {
    try {
      await storeBatch(batchOf(outcomes));
      return [];
    } catch (error) {
      const [outcome] = outcomes as [AttemptOutcome];
      if (outcomes.length > 1) {
        const middle = outcomes.length >> 1;
        const refused = await storeOutcomes(outcomes.slice(0, middle));
        return [...refused, ...(await storeOutcomes(outcomes.slice(middle)))];
      }
      const isStored = await storeBatch(batchOf([bareOutcome(outcome)])).catch(() => false);
      const context = { err: error, webhook: outcome.webhookId, sequence: outcome.sequence };
      logger.error(context, isStored ? "an attempt was stored without its details" : "an attempt could not be stored");
      return isStored ? [] : [outcome];
    }
  }

  return { storeBatch, storeOutcomes };
}
