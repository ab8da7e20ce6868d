// Runs the attempts of all endpoint workers: checks that what is not fresh may still be sent, makes the attempt, counts it, tells the
// worker, hands the outcome to the outcome writer, and disables a webhook whose receiver is gone or has failed for days.
import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import type { Metrics } from "../../platform/kernel/telemetry/metrics.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findWaiting } from "../queue/delivery-store.ts";
import type { DueDelivery } from "../queue/delivery-store.ts";
import type { Disabling, createDisableWebhook } from "../webhooks/disable.ts";
import type { Target } from "../webhooks/target.ts";
import { makeAttempt } from "./attempt.ts";
import type { AttemptContext, AttemptResult } from "./attempt.ts";
import { isAboutAddress } from "../../platform/egress/egress-error.ts";
import type { EgressFailure } from "../../platform/egress/egress-error.ts";
import type { EndpointWorker } from "./endpoint-worker.ts";
import { createLeaseCheck } from "./leases.ts";
import type { OutcomeWriter } from "./outcome-writer.ts";
import type { Classification } from "./response-class.ts";

/** Every attempt to a webhook failed for so long: it is disabled. */
const DISABLE_AFTER_MS = 5 * DAY_MS;
/** After an error of ours, nothing is sent to the webhook for this time. */
const ERROR_COOL_DOWN_MS = 5 * SECOND_MS;

/** The part of the store that attempts use. */
export interface AttemptStore {
  readonly reader: Tx;
  readonly changes: ChangeRunner<{ readonly disableWebhook: ReturnType<typeof createDisableWebhook> }>;
}

export interface AttemptRunnerOptions extends AttemptContext {
  readonly logger: FastifyBaseLogger;
  readonly metrics: Metrics;
  readonly hasMail: boolean;
  readonly outcomes: OutcomeWriter;
  isStopping(): boolean;
}

/** Logs that a webhook's host can't be reached, for operators: its owner does not learn what a name resolves to. */
export function logUnreachable(
  logger: FastifyBaseLogger,
  { ownerId, webhookId }: { readonly ownerId: string; readonly webhookId: string },
  { stage, message }: EgressFailure,
): void {
  if (!isAboutAddress(stage)) return;
  logger.warn({ webhook: webhookId, owner: ownerId, stage }, `a webhook can't be reached: ${message}`);
}

/** Returns what counts attempts by their outcome, and how long events took to arrive. */
function createAttemptMetrics(metrics: Metrics) {
  const attempts = {
    delivered: metrics.histogram("attemptDuration", { outcome: "delivered" }),
    pending: metrics.histogram("attemptDuration", { outcome: "retried" }),
    failed: metrics.histogram("attemptDuration", { outcome: "failed" }),
  };
  const lag = metrics.histogram("deliveryLag");
  return ({ tries, createdAt }: DueDelivery, { outcome, classification }: AttemptResult, now: number) => {
    attempts[classification.state].observe(outcome.durationMs / 1_000);
    if (classification.state === "delivered" && tries === 0) lag.observe(Math.max(0, now - createdAt) / 1_000);
  };
}

export class AttemptRunner {
  readonly #store: AttemptStore;
  readonly #options: AttemptRunnerOptions;
  readonly #count: ReturnType<typeof createAttemptMetrics>;
  readonly #isValid: ReturnType<typeof createLeaseCheck>;
  #inFlight = 0;
  #onIdle: (() => void) | undefined;

  constructor(store: AttemptStore, options: AttemptRunnerOptions) {
    this.#store = store;
    this.#options = options;
    this.#count = createAttemptMetrics(options.metrics);
    this.#isValid = createLeaseCheck(store.reader);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Begins an attempt. The worker is told its result, and is pumped at its end. */
  start(worker: EndpointWorker, delivery: DueDelivery, isFresh: boolean): void {
    const { clock, logger } = this.#options;
    this.#inFlight++;
    void this.#run(worker, delivery, isFresh)
      .catch((error: unknown) => {
        logger.error({ err: error, webhook: worker.target.webhookId }, "a delivery could not be attempted");
        worker.abandon(delivery.sequence, clock() + ERROR_COOL_DOWN_MS);
      })
      .finally(() => {
        this.#inFlight--;
        if (this.#inFlight === 0) this.#onIdle?.();
        worker.pump();
      });
  }

  /** Resolves when no attempt is in flight. */
  async idle(): Promise<void> {
    if (this.#inFlight === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #run(worker: EndpointWorker, known: DueDelivery, isFresh: boolean): Promise<void> {
    const { clock, outcomes, logger } = this.#options;
    const { target } = worker;
    const { sequence } = known;
    const delivery = isFresh ? known : await this.#confirm(worker, known);
    const result = delivery && (await makeAttempt(target, delivery, this.#options));
    const now = clock();
    if (!result) {
      worker.abandon(sequence, now);
      return;
    }
    this.#count(delivery, result, now);
    const { classification, outcome } = result;
    const note = worker.record(sequence, classification, now, outcome.durationMs);
    // Log an unreachable receiver once per outage.
    if (note && result.failure) logUnreachable(logger, target, result.failure);
    const reason = disableReason(classification, worker, now);
    if (reason === null) {
      outcomes.add({ worker, outcome, note });
    } else {
      worker.coolDown(now + MINUTE_MS);
      outcomes.add({ worker, outcome, note, onStored: () => void this.#disable(target, reason) });
    }
  }

  /**
   * The delivery with its payload; undefined when the lease is not valid any more. While it is, only this process settles the
   * delivery.
   */
  async #confirm({ target, lease }: EndpointWorker, known: DueDelivery): Promise<DueDelivery | undefined> {
    if (known.isLong !== 1) return (await this.#isValid(lease)) && !this.#options.isStopping() ? known : undefined;
    const { sequence } = known;
    const found = await findWaiting(this.#store.reader, { ...lease, ownerId: target.ownerId, sequence });
    return found && !this.#options.isStopping() ? { ...known, payload: found.payload } : undefined;
  }

  async #disable({ ownerId, webhookId, revision }: Target, reason: Disabling["reason"]): Promise<void> {
    const { clock, hasMail, logger } = this.#options;
    try {
      const disabling: Disabling = { ownerId, webhookId, revision, reason, hasMail };
      if (await this.#store.changes.disableWebhook(disabling, clock())) {
        logger.warn({ webhook: webhookId, owner: ownerId, reason }, "a webhook was disabled");
      }
    } catch (error) {
      logger.warn({ err: error, webhook: webhookId }, "a webhook could not be disabled yet");
    }
  }
}

/** Why the webhook is to be disabled after an attempt; null: it is not. */
function disableReason(
  { isGone, health }: Classification,
  { failingSince }: EndpointWorker,
  now: number,
): Disabling["reason"] | null {
  if (isGone) return "gone";
  const isFailing = health === "bad" && failingSince !== null && now - failingSince >= DISABLE_AFTER_MS;
  return isFailing ? "failing" : null;
}
