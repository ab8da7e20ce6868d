// Delivers events to webhooks. One process leases a webhook at a time, so that this process alone enforces its order,
// concurrency and rate. A process has a worker for each webhook that it has leased, and no worker waits for another.
import type { FastifyBaseLogger } from "fastify";
import { MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import { UnreadableError } from "../../platform/kernel/keyring.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Metrics } from "../../platform/kernel/telemetry/metrics.ts";
import type { Tracing } from "../../platform/kernel/telemetry/tracing.ts";
import { ANY_FAILURES, LEASE_MS, isAnyReady, packBatch } from "../queue/queue.ts";
import type { LeasedQueue, queueChanges } from "../queue/queue.ts";
import { openTarget } from "../webhooks/target.ts";
import type { Target, TargetCache } from "../webhooks/target.ts";
import { AttemptRunner } from "./attempt-runner.ts";
import type { AttemptStore } from "./attempt-runner.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import { EndpointWorker } from "./endpoint-worker.ts";
import type { WorkerContext } from "./endpoint-worker.ts";
import { EventReader } from "./event-reader.ts";
import { createLeases } from "./leases.ts";
import type { Leases } from "./leases.ts";
import { ConcurrencyLimiter } from "./limiters.ts";
import { OutcomeWriter } from "./outcome-writer.ts";

/** Finds retries, and events that other processes recorded; a commit of this process wakes the dispatcher. */
const POLL_MS = 250;
const MAX_CLAIM = 64;
const MAX_LEASED = 1_024;
/** At most this many of the leased webhooks may have failing receivers, so that the others keep the rest. */
const MAX_FAILING = 256;
const RENEW_MS = LEASE_MS / 3;
const STOP_GRACE_MS = 5_000;
/** The cool-down of a webhook that can't be opened: short if the cause may pass by itself, longer if an operator has to act. */
const SHORT_COOL_DOWN_MS = 5 * SECOND_MS;
const LONG_COOL_DOWN_MS = 5 * MINUTE_MS;

/** The part of the store that delivering uses. */
export interface WebhookStore extends AttemptStore {
  readonly keyring: Keyring;
  readonly changes: ChangeRunner<typeof queueChanges> & AttemptStore["changes"];
}

export interface DispatcherOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly logger: FastifyBaseLogger;
  readonly userAgent: string;
  readonly hasMail: boolean;
  readonly metrics: Metrics;
  readonly tracing: Tracing | null;
  /** Webhooks that it leases at a time; 1 024 by default. */
  readonly maxLeased?: number | undefined;
  /** How long `stop` waits for attempts in flight; 5 s by default. */
  readonly stopGraceMs?: number | undefined;
}

export class Dispatcher {
  readonly #store: WebhookStore;
  readonly #options: DispatcherOptions;
  readonly #maxLeased: number;
  readonly #workers = new Map<string, EndpointWorker>();
  readonly #targets: TargetCache = new Map();
  readonly #limiter = new ConcurrencyLimiter();
  readonly #leases: Leases;
  readonly #outcomes: OutcomeWriter;
  readonly #attempts: AttemptRunner;
  readonly #context: WorkerContext;
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #stop = new AbortController();
  #isWoken = false;
  /** The last claim failed. */
  #isFailing = false;
  #claiming: Promise<void> | undefined;

  /** Begins at once. */
  constructor(store: WebhookStore, options: DispatcherOptions) {
    const { clock, logger, metrics, maxLeased = MAX_LEASED } = options;
    const workers = this.#workers;
    const isStopping = () => this.#stop.signal.aborted;
    this.#store = store;
    this.#options = options;
    this.#maxLeased = maxLeased;
    const leases = {
      all: () => Array.from(workers.values(), ({ lease }) => lease),
      of: (webhookId: string) => workers.get(webhookId)?.lease,
    };
    this.#leases = createLeases(store.changes, leases, options);
    this.#outcomes = new OutcomeWriter({
      clock,
      logger,
      store: (batch) => store.changes.storeOutcomes(packBatch(batch), clock()),
      isStopping,
      onReleased: (released) => this.#forget(released),
    });
    this.#attempts = new AttemptRunner(store, { ...options, outcomes: this.#outcomes, isStopping });
    this.#context = {
      reader: store.reader,
      events: new EventReader(store.reader),
      clock,
      limiter: this.#limiter,
      countWorkers: () => workers.size,
      attempt: (worker, delivery, isFresh) => this.#attempts.start(worker, delivery, isFresh),
      release: (worker) => this.#outcomes.release(worker),
      onReadError: (worker, error) =>
        logger.warn({ err: error, webhook: worker.target.webhookId }, "the queue of a webhook could not be read"),
    };
    metrics.gauge("webhooksLeased", () => workers.size);
    const stalledMs = () => Math.max(0, ...Iterator.from(workers.values()).map((one) => clock() - one.completedAt));
    metrics.gauge("webhookStalled", () => stalledMs() / 1000);
    metrics.gauge("attemptsInFlight", () => this.#attempts.inFlight);
    this.#timers = [
      setInterval(() => void this.#poll(), POLL_MS).unref(),
      setInterval(() => void this.#leases.renew(), RENEW_MS).unref(),
    ];
    this.wake();
  }

  /** Looks for due deliveries at once. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#stop.signal.aborted) this.#claiming ??= this.#claimWhileWoken();
  }

  /** Begins no more attempts, finishes those in flight, aborts those that take too long, and releases all webhooks. */
  async stop(): Promise<void> {
    const { egress, stopGraceMs = STOP_GRACE_MS } = this.#options;
    this.#stop.abort();
    this.#timers.forEach(clearInterval);
    await this.#claiming;
    for (const worker of this.#workers.values()) worker.stop();
    const cut = setTimeout(() => void egress.close(), stopGraceMs);
    await this.#attempts.idle();
    clearTimeout(cut);
    // Store the outcomes before releasing the webhooks: the next process must not find delivered deliveries still pending.
    await this.#outcomes.drained();
    for (const worker of this.#workers.values()) this.#outcomes.release(worker);
    await this.#outcomes.drained();
    await egress.close();
  }

  #forget(released: readonly EndpointWorker[]): void {
    for (const worker of released) {
      const { webhookId } = worker.target;
      if (this.#workers.get(webhookId) === worker) this.#workers.delete(webhookId);
    }
    if (released.length > 0) this.wake();
  }

  async #poll(): Promise<void> {
    this.#limiter.lookForSlow();
    for (const worker of this.#workers.values()) worker.lookForMore();
    this.wake();
    await this.#makeRoom().catch(() => undefined);
  }

  async #claimWhileWoken(): Promise<void> {
    while (this.#isWoken && !this.#stop.signal.aborted) {
      this.#isWoken = false;
      try {
        await this.#claimReady();
        this.#isFailing = false;
      } catch (error) {
        // Log a failing store once, not at every poll.
        if (!this.#isFailing) this.#options.logger.warn({ err: error }, "webhooks could not be claimed yet");
        this.#isFailing = true;
      }
    }
    this.#claiming = undefined;
  }

  async #claimReady(): Promise<void> {
    const { clock } = this.#options;
    await this.#leases.undoFailed();
    while (!this.#stop.signal.aborted && this.#workers.size < this.#maxLeased) {
      const maxFailures = this.#maxFailures();
      if (!(await isAnyReady(this.#store.reader, maxFailures, clock()))) return;
      const limit = Math.min(MAX_CLAIM, this.#maxLeased - this.#workers.size);
      const { leaseId, queues } = await this.#leases.claim({ limit, maxFailures });
      await Promise.all(queues.map((queue) => this.#begin(queue, leaseId)));
      // No others are ready, or other processes have locked their rows and are about to commit their claims.
      if (queues.length < limit) return;
    }
  }

  /** While enough failing receivers are retried, only webhooks without failures are claimed. */
  #maxFailures(): number {
    let failing = 0;
    for (const { isFailing } of this.#workers.values()) if (isFailing) failing++;
    return failing < MAX_FAILING ? ANY_FAILURES : 0;
  }

  async #begin(queue: LeasedQueue, leaseId: string): Promise<void> {
    const target = await this.#openTarget(queue, leaseId);
    if (!target) return;
    const worker = new EndpointWorker(target, queue, leaseId, this.#context);
    // The webhook was changed, or this process was too slow to renew its lease.
    const predecessor = this.#workers.get(queue.webhookId);
    this.#workers.set(queue.webhookId, worker);
    worker.start(predecessor);
  }

  async #openTarget(queue: LeasedQueue, leaseId: string): Promise<Target | undefined> {
    const { clock, logger } = this.#options;
    const { webhookId, failures } = queue;
    try {
      return await openTarget(this.#store.reader, this.#store.keyring, this.#targets, queue);
    } catch (error) {
      const context = { err: error, webhook: webhookId };
      const isSealed = error instanceof UnreadableError || error instanceof ApiError;
      if (isSealed) logger.error(context, "a webhook can't be sent to: its secrets can't be opened");
      else logger.warn(context, "a webhook could not be read");
      const heldUntil = clock() + (isSealed ? LONG_COOL_DOWN_MS : SHORT_COOL_DOWN_MS);
      this.#outcomes.releaseUnopened({ webhookId, leaseId, failures, heldUntil });
      return undefined;
    }
  }

  /** While ready webhooks find this process full, the webhooks that were leased for longest back off. */
  async #makeRoom(): Promise<void> {
    if (this.#workers.size < this.#maxLeased) return;
    if (!(await isAnyReady(this.#store.reader, this.#maxFailures(), this.#options.clock()))) return;
    for (const worker of Iterator.from(this.#workers.values()).take(MAX_CLAIM)) worker.backOff();
  }
}
