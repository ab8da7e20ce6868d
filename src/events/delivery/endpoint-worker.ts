// The worker of one leased webhook: reads its deliveries a few at a time, and has them sent within the webhook's own bounds (order,
// concurrency, rate) and no faster than its receiver can bear.
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { listWaiting } from "../queue/delivery-store.ts";
import type { DueDelivery, WaitingDelivery } from "../queue/delivery-store.ts";
import type { EventReader } from "./event-reader.ts";
import type { FailureNote, Lease, LeasedQueue, Release } from "../queue/queue.ts";
import type { Target } from "../webhooks/target.ts";
import { RateLimiter, SHARED_SLOTS, countAhead, isSlow } from "./limiters.ts";
import type { LimiterClient, ConcurrencyLimiter, Slot } from "./limiters.ts";
import { ReceiverHealth } from "./receiver-health.ts";
import type { Classification } from "./response-class.ts";

/** A delivery that was read longer ago is sent only if the lease is still valid: the webhook may have been changed since. */
const FRESH_MS = 500;
/** While attempts are in flight, the worker looks for new deliveries at most this often. */
const LOOK_MS = 200;
/** Reads start over after this time, to find new deliveries with earlier due times. */
const BEGIN_ANEW_MS = 500;
/** The cool-down after a failed read. */
const READ_ERROR_COOL_DOWN_MS = 5 * SECOND_MS;

export interface WorkerContext {
  readonly reader: Tx;
  readonly events: EventReader;
  readonly clock: Clock;
  readonly limiter: ConcurrencyLimiter;
  /** The number of workers of this process. */
  countWorkers(): number;
  /** Begins the attempt, and later calls the worker's `record` or `abandon`, and `recordStored`. */
  attempt(worker: EndpointWorker, delivery: DueDelivery, isFresh: boolean): void;
  /** Releases the webhook of a worker that has nothing more to do. */
  release(worker: EndpointWorker): void;
  onReadError(worker: EndpointWorker, error: unknown): void;
}

/** An attempt in flight, or one whose outcome is not stored yet. */
interface OpenAttempt {
  /** Failures in a row when it began. */
  readonly failures: number;
  readonly slot: Slot;
}

export class EndpointWorker implements LimiterClient {
  readonly target: Target;
  readonly lease: Lease;
  /** When it began, or when it last stored an outcome. It exists only while it has something to send. */
  completedAt: number;
  readonly #context: WorkerContext;
  readonly #rate: RateLimiter | null;
  readonly #waiting: DueDelivery[] = [];
  #readAt = 0;
  /** The last delivery that was read ahead; null: the next read begins with the longest due one. */
  #after: WaitingDelivery | null = null;
  #beganAt = 0;
  /** By sequence. */
  readonly #open = new Map<number, OpenAttempt>();
  /** Attempts that were stored during the present read, which may still show their deliveries as pending. */
  readonly #storedMeanwhile = new Set<number>();
  #inFlight = 0;
  readonly #health: ReceiverHealth;
  isProven = false;
  #coolDownUntil = 0;
  /** The last read found no new delivery. */
  #isDry = false;
  #isReading = false;
  #isStarted = false;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();
  /** Resolves when the worker before this one is idle. */
  #predecessor: Promise<void> | undefined;

  constructor(target: Target, queue: LeasedQueue, leaseId: string, context: WorkerContext) {
    this.target = target;
    this.lease = { webhookId: target.webhookId, leaseId };
    this.#context = context;
    this.#rate = target.rateLimit === null ? null : new RateLimiter(target.rateLimit);
    this.#health = new ReceiverHealth(queue);
    this.completedAt = context.clock();
  }

  get failingSince(): number | null {
    return this.#health.failingSince;
  }

  get isFailing(): boolean {
    return this.#health.isFailing;
  }

  get slots(): number {
    return this.#open.size;
  }

  get isTroubled(): boolean {
    return this.#health.isSlow || this.isFailing;
  }

  recordSlow(): void {
    this.#health.isSlow = true;
  }

  /** Resolves when the worker has stopped and the outcomes of all its attempts are stored. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  /** How many attempts may be in flight: one while the receiver fails, so that a hanging one takes few slots; none beyond its share. */
  #limit(): number {
    if (this.#open.size >= SHARED_SLOTS) return 0;
    return this.target.isStrict || this.isFailing ? 1 : this.target.concurrency;
  }

  #isCoolingDown(): boolean {
    return this.#coolDownUntil > this.#context.clock();
  }

  /** Whether the webhook's rate allows another attempt; if not, the worker is pumped when it does. */
  #isInRate(): boolean {
    const waitMs = this.#rate?.waitMs() ?? 0;
    if (waitMs === 0) return true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#isDry = false;
      this.pump();
    }, waitMs);
    return false;
  }

  /** Starts the worker once the outcomes of the webhook's previous worker are stored. */
  start(predecessor?: EndpointWorker): void {
    predecessor?.stop();
    this.#predecessor = predecessor?.idle;
    if (this.#predecessor) void this.#predecessor.then(() => this.#start());
    else this.#start();
  }

  #start(): void {
    this.#isStarted = true;
    this.pump();
  }

  /** Begins as many attempts as allowed, and reads more deliveries when none is left. */
  pump(): void {
    if (!this.#isStarted || this.#isStopped || this.#isReading) return;
    while (!this.#isCoolingDown() && this.#inFlight < this.#limit() && this.#waiting.length > 0) {
      const delivery = this.#waiting[0] as DueDelivery;
      const isLong = delivery.isLong === 1;
      const slot = this.#isInRate() ? this.#context.limiter.acquire(this, isLong) : null;
      if (!slot) return;
      this.#rate?.take();
      this.#waiting.shift();
      this.#open.set(delivery.sequence, { failures: this.#health.failures, slot });
      this.#inFlight++;
      this.#context.attempt(this, delivery, !isLong && performance.now() - this.#readAt < FRESH_MS);
    }
    if (this.#isCoolingDown()) this.#discard();
    // In strict order, the outcome of the present delivery decides which one is next.
    if (this.#waiting.length > 0 || (this.target.isStrict && this.#open.size > 0)) return;
    if (!this.#isDry && !this.#isCoolingDown()) void this.#read();
    else if (this.#open.size === 0 && (this.#isCoolingDown() || this.#isInRate())) this.#finish();
  }

  /** Called periodically: deliveries may have been added while the worker waits for a slow response. */
  lookForMore(): void {
    if (!this.#isDry || this.#inFlight >= this.#limit() || performance.now() - this.#readAt < LOOK_MS) return;
    this.#isDry = false;
    this.pump();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    this.#readAt = performance.now();
    const { reader, events } = this.#context;
    const { ownerId, isStrict, concurrency } = this.target;
    const now = this.#context.clock();
    const ahead = countAhead(concurrency, this.#context.countWorkers());
    if (isStrict || this.#readAt - this.#beganAt > BEGIN_ANEW_MS) this.#after = null;
    const after = this.#after;
    if (!after) this.#beganAt = this.#readAt;
    const limit = isStrict ? 1 : after ? ahead : this.#open.size + ahead;
    try {
      const list = listWaiting[isStrict ? "sequence" : "due"];
      const [afterDue, afterSequence] = [after?.dueAt ?? -1, after?.sequence ?? -1];
      const found = await list(reader, { ...this.lease, ownerId, now, limit, afterDue, afterSequence });
      const isLast = found.length < limit;
      this.#after = isLast ? null : (found.at(-1) as WaitingDelivery);
      this.#isDry = isLast && !after;
      this.#waiting.push(...(await events.addTo(ownerId, found.filter(this.#isUnknown))));
      const dueAt = this.#waiting[0]?.dueAt ?? 0;
      if (isStrict && dueAt > now) this.coolDown(dueAt);
    } catch (error) {
      this.#context.onReadError(this, error);
      this.coolDown(now + READ_ERROR_COOL_DOWN_MS);
    } finally {
      this.#isReading = false;
      this.#storedMeanwhile.clear();
    }
    this.pump();
  }

  readonly #isUnknown = ({ sequence }: WaitingDelivery) =>
    !this.#open.has(sequence) && !this.#storedMeanwhile.has(sequence);

  /** Discards the deliveries that were read ahead; they will be read again. */
  #discard(): void {
    this.#waiting.length = 0;
    this.#after = null;
  }

  /** Sends nothing to the receiver until `until`. */
  coolDown(until: number): void {
    this.#coolDownUntil = Math.max(this.#coolDownUntil, until);
  }

  /** An attempt was not made and does not count. Nothing is sent until `until`. */
  abandon(sequence: number, until: number): void {
    this.#inFlight--;
    // The lease may be revoked by now, which the next read shows.
    this.#discard();
    this.#isDry = false;
    this.coolDown(until);
    this.#close(sequence);
  }

  /** Records the result of an attempt that took `durationMs`. Returns what is to be stored of the receiver's health. */
  record(sequence: number, classification: Classification, now: number, durationMs: number): FailureNote | null {
    const { pauseUntil, dueAt, health } = classification;
    this.#inFlight--;
    const open = this.#open.get(sequence);
    if (open) open.slot.hasEnded = true;
    this.#health.isSlow = isSlow(durationMs);
    if (!this.#health.isSlow) this.isProven = true;
    if (pauseUntil !== null) this.coolDown(pauseUntil);
    // In strict order nothing overtakes a delivery that has to be retried.
    if (this.target.isStrict && dueAt !== null) this.coolDown(dueAt);
    if (health === "unknown") return null;
    const { failingSince } = this.#health;
    if (health === "good") this.#health.succeed();
    else this.coolDown(now + this.#health.fail(open?.failures ?? 0, now));
    return this.failingSince === failingSince ? null : { ...this.lease, failingSince: this.failingSince };
  }

  /** Whether the webhook can be released once so many outcomes are stored: no other delivery is known to wait. */
  isDoneAfter(outcomes: number): boolean {
    if (this.#isStopped || this.#isReading || this.#waiting.length > 0 || this.#open.size !== outcomes) return false;
    return this.#isCoolingDown() || (this.#isDry && (this.#rate?.waitMs() ?? 0) === 0);
  }

  /** The outcome of an attempt is stored. */
  recordStored(sequence: number): void {
    this.completedAt = this.#context.clock();
    // Deliveries may have been added meanwhile.
    if (!this.#isCoolingDown()) this.#isDry = false;
    this.#close(sequence);
  }

  #close(sequence: number): void {
    const attempt = this.#open.get(sequence);
    if (!attempt) return;
    this.#open.delete(sequence);
    if (this.#isReading) this.#storedMeanwhile.add(sequence);
    this.#context.limiter.release(attempt.slot);
    this.#recordIdle();
  }

  #recordIdle(): void {
    if (this.#isStopped && this.#open.size === 0) this.#idle.resolve(this.#isStarted ? undefined : this.#predecessor);
  }

  #finish(): void {
    this.stop();
    this.#context.release(this);
  }

  /** Begins no more attempts, so that other webhooks have their turn first. */
  backOff(): void {
    if (this.#isStopped) return;
    this.coolDown(this.#context.clock());
    this.stop();
    void this.idle.then(() => this.#context.release(this));
  }

  /** Begins no more attempts. */
  stop(): void {
    this.#isStopped = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
    this.#recordIdle();
  }

  /** How the webhook is released: its rate limit still holds afterwards, also after an early stop. */
  release(): Release {
    const waitMs = this.#rate?.waitMs() ?? 0;
    const heldUntil = Math.max(this.#coolDownUntil, waitMs === 0 ? 0 : this.#context.clock() + waitMs);
    return { ...this.lease, heldUntil, failures: this.#health.failures };
  }
}
