// One webhook while this process has it: reads what waits for it, a few at a time, and has it sent within the webhook's
// own bounds (order, concurrency, rate) and no faster than its receiver can bear.
import { SECOND_MS } from "../kernel/scheduling/clock.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Tx } from "../kernel/tx.ts";
import { listWaiting } from "./queue/delivery-store.ts";
import type { DueDelivery } from "./queue/delivery-store.ts";
import type { FailingNote, Held, Release, TakenQueue } from "./queue/queue.ts";
import type { Target } from "../resources/webhooks/target.ts";
import { restAfter } from "./delivery-schedule.ts";
import { Rate } from "./rate.ts";
import type { LimiterClient, ConcurrencyLimiter } from "./concurrency-limiter.ts";
import type { Verdict } from "./response-class.ts";

/** Deliveries that are read ahead of those under way, for each of these. */
const AHEAD = 2;
const MOST_AHEAD = 64;
/** What was read longer ago is looked at once more before it is sent: the webhook may have been changed since. */
const FRESH_MS = 500;
/** While something is under way, what has come since is looked for no more often than this. */
const LOOK_MS = 200;
/** Reads go on where the last one ended for so long, then find what has come with an earlier time. */
const BEGIN_ANEW_MS = 500;
/** A webhook whose deliveries could not be read is looked at again after this. */
const TROUBLE_REST_MS = 5 * SECOND_MS;

export interface WorkerContext {
  readonly reader: Tx;
  readonly clock: Clock;
  readonly room: ConcurrencyLimiter;
  /** Begins the attempt. Its end is told with `note` or `abandon`, and its being stored with `settled`. */
  attempt(run: EndpointWorker, delivery: DueDelivery, isFresh: boolean): void;
  /** There is nothing more to do for the webhook: it is to be given back. */
  finish(run: EndpointWorker): void;
  onTrouble(run: EndpointWorker, error: unknown): void;
}

/** A delivery that is under way, or whose outcome is not stored yet. */
interface Begun {
  /** Failures in a row when it began. */
  readonly failures: number;
  readonly isLong: boolean;
}

export class EndpointWorker implements LimiterClient {
  readonly target: Target;
  readonly held: Held;
  readonly #around: WorkerContext;
  readonly #rate: Rate | null;
  readonly #waiting: DueDelivery[] = [];
  #readAt = 0;
  /** The last one that was read ahead; null: the next read begins with what has been due longest. */
  #after: DueDelivery | null = null;
  #beganAt = 0;
  /** By sequence. */
  readonly #begun = new Map<number, Begun>();
  /** Sequences that were begun when the present read began, and are stored: it may show them as they were before. */
  readonly #storedMeanwhile = new Set<number>();
  #underWay = 0;
  #failures: number;
  #failingSince: number | null;
  #restUntil = 0;
  /** The last read found no more than what is known. */
  #isDry = false;
  #isReading = false;
  #isStarted = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #idle = Promise.withResolvers<void>();
  #before: Promise<void> | undefined;

  constructor(target: Target, taken: TakenQueue, holder: string, around: WorkerContext) {
    this.target = target;
    this.held = { webhookId: target.webhookId, holder };
    this.#around = around;
    this.#rate = target.rateLimit === null ? null : new Rate(target.rateLimit);
    this.#failures = taken.failures;
    this.#failingSince = taken.failingSince;
  }

  get failingSince(): number | null {
    return this.#failingSince;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  get places(): number {
    return this.#begun.size;
  }

  /** Resolves when it is over and all that was under way is stored. */
  get idle(): Promise<void> {
    return this.#idle.promise;
  }

  /** How many may be under way: one while the receiver fails, so that one that hangs holds up little. */
  #limit(): number {
    return this.target.isStrict || this.#failures > 0 ? 1 : this.target.concurrency;
  }

  #isResting(): boolean {
    return this.#restUntil > this.#around.clock();
  }

  /** Whether the webhook's rate lets one begin; else comes back when it does. */
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

  /** Begins, but not before all that another run of the webhook has under way is stored. */
  start(before?: EndpointWorker): void {
    before?.end();
    this.#before = before?.idle;
    if (this.#before) void this.#before.then(() => this.#start());
    else this.#start();
  }

  #start(): void {
    this.#isStarted = true;
    this.pump();
  }

  /** Begins as many attempts as may be, and reads on when there are none left to begin. */
  pump(): void {
    if (!this.#isStarted || this.#isOver || this.#isReading) return;
    while (!this.#isResting() && this.#underWay < this.#limit() && this.#waiting.length > 0) {
      const delivery = this.#waiting[0] as DueDelivery;
      const isLong = delivery.is_long === 1;
      if (!this.#isInRate() || !this.#around.room.enter(this, isLong)) return;
      this.#rate?.take();
      this.#waiting.shift();
      this.#begun.set(delivery.sequence, { failures: this.#failures, isLong });
      this.#underWay++;
      this.#around.attempt(this, delivery, !isLong && performance.now() - this.#readAt < FRESH_MS);
    }
    if (this.#isResting()) this.#forget();
    // In strict order the next one is known when the one under way is stored.
    if (this.#waiting.length > 0 || (this.target.isStrict && this.#begun.size > 0)) return;
    if (!this.#isDry && !this.#isResting()) void this.#read();
    else if (this.#begun.size === 0 && (this.#isResting() || this.#isInRate())) this.#finish();
  }

  /** Called now and then: something may have come while a slow answer is waited for. */
  look(): void {
    if (!this.#isDry || this.#underWay >= this.#limit() || performance.now() - this.#readAt < LOOK_MS) return;
    this.#isDry = false;
    this.pump();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    this.#readAt = performance.now();
    const { reader, clock } = this.#around;
    const { ownerId, isStrict, concurrency } = this.target;
    const now = clock();
    const ahead = Math.min(MOST_AHEAD, concurrency * AHEAD);
    if (isStrict || this.#readAt - this.#beganAt > BEGIN_ANEW_MS) this.#after = null;
    const after = this.#after;
    if (!after) this.#beganAt = this.#readAt;
    const limit = isStrict ? 1 : after ? ahead : this.#begun.size + ahead;
    try {
      const list = listWaiting[isStrict ? "sequence" : "due"];
      const [afterDue, afterSequence] = [after?.due_at ?? -1, after?.sequence ?? -1];
      const found = await list(reader, { ...this.held, ownerId, now, limit, afterDue, afterSequence });
      const isLast = found.length < limit;
      this.#after = isLast ? null : (found.at(-1) as DueDelivery);
      this.#isDry = isLast && !after;
      this.#waiting.push(...found.filter(({ sequence }) => !this.#isKnown(sequence)));
      const dueAt = this.#waiting[0]?.due_at ?? 0;
      if (isStrict && dueAt > now) this.rest(dueAt);
    } catch (error) {
      this.#around.onTrouble(this, error);
      this.rest(now + TROUBLE_REST_MS);
    } finally {
      this.#isReading = false;
      this.#storedMeanwhile.clear();
    }
    this.pump();
  }

  #isKnown(sequence: number): boolean {
    return this.#begun.has(sequence) || this.#storedMeanwhile.has(sequence);
  }

  /** What was read ahead will be read again. */
  #forget(): void {
    this.#waiting.length = 0;
    this.#after = null;
  }

  /** Leaves the receiver alone until then. */
  rest(until: number): void {
    this.#restUntil = Math.max(this.#restUntil, until);
  }

  /** An attempt came to nothing and does not count. Until then nothing more is tried. */
  abandon(sequence: number, until: number): void {
    this.#underWay--;
    // It may be somebody else's by now: what is read next says so.
    this.#forget();
    this.#isDry = false;
    this.rest(until);
    this.#leave(sequence);
  }

  /** What came of an attempt. Answers what is to be noted of the receiver. */
  note(sequence: number, verdict: Verdict, now: number): FailingNote | null {
    this.#underWay--;
    if (verdict.pauseUntil !== null) this.rest(verdict.pauseUntil);
    // In strict order nothing passes the one that has to be tried again.
    if (this.target.isStrict && verdict.dueAt !== null) this.rest(verdict.dueAt);
    if (verdict.health === "unsaid") return null;
    if (verdict.health === "good") {
      this.#failures = 0;
      return this.#noteFailing(null);
    }
    // Of those that were under way together one counts: they say no more than one.
    if ((this.#begun.get(sequence)?.failures ?? 0) >= this.#failures) {
      this.#failures++;
      const pause = restAfter(this.#failures);
      if (pause > 0) this.rest(now + pause);
    }
    return this.#noteFailing(this.#failingSince ?? now);
  }

  #noteFailing(failingSince: number | null): FailingNote | null {
    if (this.#failingSince === failingSince) return null;
    this.#failingSince = failingSince;
    return { ...this.held, failingSince };
  }

  /** Whether, once so many outcomes are stored, the webhook can be given back: nothing else is known to wait. */
  isDoneWith(outcomes: number): boolean {
    if (this.#isOver || this.#isReading || this.#waiting.length > 0 || this.#begun.size !== outcomes) return false;
    return this.#isResting() || (this.#isDry && (this.#rate?.waitMs() ?? 0) === 0);
  }

  /** The outcome of an attempt is stored. */
  settled(sequence: number): void {
    // Something may have come meanwhile.
    if (!this.#isResting()) this.#isDry = false;
    this.#leave(sequence);
  }

  #leave(sequence: number): void {
    const begun = this.#begun.get(sequence);
    if (!begun) return;
    this.#begun.delete(sequence);
    if (this.#isReading) this.#storedMeanwhile.add(sequence);
    this.#around.room.leave(begun.isLong);
    this.#noteIdle();
  }

  #noteIdle(): void {
    if (this.#isOver && this.#begun.size === 0) this.#idle.resolve(this.#isStarted ? undefined : this.#before);
  }

  #finish(): void {
    this.end();
    this.#around.finish(this);
  }

  /** Ends what is under way and begins nothing more, so that others have their turn; its own comes after theirs. */
  backOff(): void {
    if (this.#isOver) return;
    this.rest(this.#around.clock());
    this.end();
    void this.idle.then(() => this.#around.finish(this));
  }

  /** Begins nothing more. */
  end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
    this.#noteIdle();
  }

  /** As it is given back. Its rate holds beyond this run, also when that ends early because the process stops. */
  release(): Release {
    const waitMs = this.#rate?.waitMs() ?? 0;
    const heldUntil = waitMs === 0 ? this.#restUntil : Math.max(this.#restUntil, this.#around.clock() + waitMs);
    return { ...this.held, heldUntil, failures: this.#failures };
  }
}
