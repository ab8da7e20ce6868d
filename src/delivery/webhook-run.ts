// One webhook while this process has it: reads what waits for it, a few at a time, and has it sent within the webhook's
// own bounds (order, concurrency, rate) and no faster than its receiver can bear.
import { MINUTE_MS, SECOND_MS } from "../kernel/clock.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Tx } from "../kernel/tx.ts";
import { listWaiting } from "../resources/webhooks/delivery-store.ts";
import type { DueDelivery } from "../resources/webhooks/delivery-store.ts";
import type { FailingNote, Release, TakenQueue } from "../resources/webhooks/queue.ts";
import type { Target } from "../resources/webhooks/target.ts";
import { restAfter } from "./delivery-schedule.ts";
import type { Verdict } from "./verdict.ts";

/** Deliveries that are read ahead of those under way, for each of these. */
const AHEAD = 2;
const MOST_AHEAD = 64;
/** A webhook that could not be worked on is looked at again after this. */
const TROUBLE_REST_MS = 5 * MINUTE_MS;

export interface RunSurroundings {
  readonly reader: Tx;
  readonly clock: Clock;
  readonly holder: string;
  /** Whether the process may have one more request under way; if not, it calls `pump` when it may again. */
  hasRoom(): boolean;
  /** Begins the attempt. Its end is told with `note`, and its being stored with `settled`. */
  attempt(run: WebhookRun, delivery: DueDelivery): void;
  /** There is nothing more to do for the webhook: it is to be given back. */
  finish(run: WebhookRun): void;
  onTrouble(run: WebhookRun, error: unknown): void;
}

export class WebhookRun {
  readonly target: Target;
  readonly #around: RunSurroundings;
  readonly #waiting: DueDelivery[] = [];
  /** Sequences that are under way, or whose outcome is not stored yet. */
  readonly #busy = new Set<number>();
  #underWay = 0;
  #failures: number;
  #failingSince: number | null;
  #restUntil = 0;
  /** The last read found no more than what is known. */
  #isDry = false;
  #isReading = false;
  #isOver = false;
  #tokens = 1;
  #tokensAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(target: Target, { failures, failingSince }: TakenQueue, around: RunSurroundings) {
    this.target = target;
    this.#around = around;
    this.#failures = failures;
    this.#failingSince = failingSince;
  }

  get failingSince(): number | null {
    return this.#failingSince;
  }

  /** How many may be under way: one while the receiver fails, so that one that hangs holds up little. */
  #limit(): number {
    return this.target.isStrict || this.#failures > 0 ? 1 : this.target.concurrency;
  }

  #isResting(): boolean {
    return this.#restUntil > this.#around.clock();
  }

  /** Takes a place in the webhook's rate; else comes back when there is one. */
  #takeToken(): boolean {
    const { rateLimit } = this.target;
    if (rateLimit === null) return true;
    const now = performance.now();
    const most = Math.max(1, rateLimit / 10);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#tokensAt) * rateLimit) / SECOND_MS);
    this.#tokensAt = now;
    if (this.#tokens >= 1) {
      this.#tokens--;
      return true;
    }
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.pump();
      },
      Math.ceil(((1 - this.#tokens) * SECOND_MS) / rateLimit),
    );
    return false;
  }

  /** Begins as many attempts as may be, and reads on when there are none left to begin. */
  pump(): void {
    if (this.#isOver || this.#isReading) return;
    while (!this.#isResting() && this.#underWay < this.#limit() && this.#waiting.length > 0) {
      if (!this.#around.hasRoom() || !this.#takeToken()) return;
      const delivery = this.#waiting.shift() as DueDelivery;
      this.#busy.add(delivery.sequence);
      this.#underWay++;
      this.#around.attempt(this, delivery);
    }
    if (this.#isResting()) this.#waiting.length = 0;
    // In strict order the next one is known when the one under way is stored.
    if (this.#waiting.length > 0 || (this.target.isStrict && this.#busy.size > 0)) return;
    if (!this.#isDry && !this.#isResting()) void this.#read();
    else if (this.#busy.size === 0) this.#end();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    const { reader, clock, holder } = this.#around;
    const { ownerId, webhookId, isStrict, concurrency } = this.target;
    const now = clock();
    const limit = isStrict ? 1 : this.#busy.size + Math.min(MOST_AHEAD, concurrency * AHEAD);
    try {
      const list = listWaiting[isStrict ? "sequence" : "due"];
      const found = await list(reader, { ownerId, webhookId, holder, now, limit });
      this.#isDry = found.length < limit;
      this.#waiting.push(...found.filter(({ sequence }) => !this.#busy.has(sequence)));
      const dueAt = this.#waiting[0]?.due_at ?? 0;
      if (isStrict && dueAt > now) this.rest(dueAt);
    } catch (error) {
      this.#around.onTrouble(this, error);
      this.rest(now + TROUBLE_REST_MS);
    } finally {
      this.#isReading = false;
    }
    this.pump();
  }

  /** Leaves the receiver alone until then. */
  rest(until: number): void {
    this.#restUntil = Math.max(this.#restUntil, until);
  }

  /** What came of an attempt; null: it was cut off and does not count. Answers what is to be noted of the receiver. */
  note(verdict: Verdict | null, now: number): FailingNote | null {
    this.#underWay--;
    if (!verdict) {
      this.rest(now + 1);
      return null;
    }
    if (verdict.pauseUntil !== null) this.rest(verdict.pauseUntil);
    // In strict order nothing passes the one that has to be tried again.
    if (this.target.isStrict && verdict.dueAt !== null) this.rest(verdict.dueAt);
    if (verdict.health === "bad") {
      this.#failures++;
      const pause = restAfter(this.#failures);
      if (pause > 0) this.rest(now + pause);
      if (this.#failingSince !== null) return null;
      this.#failingSince = now;
      return { webhookId: this.target.webhookId, failingSince: now };
    }
    if (verdict.health === "unsaid") return null;
    this.#failures = 0;
    if (this.#failingSince === null) return null;
    this.#failingSince = null;
    return { webhookId: this.target.webhookId, failingSince: null };
  }

  /** Whether, once so many outcomes are stored, the webhook can be given back: nothing else is known to wait. */
  isDoneWith(outcomes: number): boolean {
    if (this.#isOver || this.#isReading || this.#waiting.length > 0 || this.#busy.size !== outcomes) return false;
    return this.#isResting() || this.#isDry;
  }

  /** The outcome of an attempt is stored. */
  settled(sequence: number): void {
    this.#busy.delete(sequence);
    // Something may have come meanwhile.
    if (!this.#isResting()) this.#isDry = false;
  }

  #end(): void {
    if (this.#isOver) return;
    this.end();
    this.#around.finish(this);
  }

  /** Begins nothing more. */
  end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    clearTimeout(this.#timer);
  }

  release(): Release {
    return { webhookId: this.target.webhookId, heldUntil: this.#restUntil, failures: this.#failures };
  }
}
