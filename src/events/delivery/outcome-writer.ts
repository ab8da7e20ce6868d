// Stores the outcomes of attempts, and releases webhooks, in batches: while one batch is being stored, the next one gathers.
import { setImmediate } from "node:timers/promises";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { AttemptOutcome, FailureNote, OutcomeBatch, Release } from "../queue/queue.ts";
import type { EndpointWorker } from "./endpoint-worker.ts";
import { createOutcomeStore } from "./outcome-store.ts";
import type { OutcomeStore, OutcomeStoreOptions } from "./outcome-store.ts";

export interface FinishedAttempt {
  readonly worker: EndpointWorker;
  readonly outcome: AttemptOutcome;
  readonly note: FailureNote | null;
  /** Called when the outcome is stored. */
  onStored?(): void;
}

export interface OutcomeWriterOptions extends OutcomeStoreOptions {
  /** These workers have stopped, and their webhooks are released. */
  onReleased(workers: readonly EndpointWorker[]): void;
}

const MAX_BATCH = 256;
/** A webhook whose outcome the store refuses cools down: its delivery would be sent again. */
const REFUSED_COOL_DOWN_MS = 5 * MINUTE_MS;

/** The newest note of each webhook; the batch is in the order of the attempts. */
function newestNotes(batch: readonly FinishedAttempt[]): FailureNote[] {
  const notes = new Map<string, FailureNote>();
  for (const { note } of batch) if (note) notes.set(`${note.webhookId} ${note.leaseId}`, note);
  return [...notes.values()];
}

export class OutcomeWriter {
  readonly #options: OutcomeWriterOptions;
  readonly #store: OutcomeStore;
  #attempts: FinishedAttempt[] = [];
  readonly #stopped = new Set<EndpointWorker>();
  #unopened: Release[] = [];
  #running: Promise<void> | undefined;

  constructor(options: OutcomeWriterOptions) {
    this.#options = options;
    this.#store = createOutcomeStore(options);
  }

  /** Stores the outcome of an attempt soon, and tells its worker then. */
  add(attempt: FinishedAttempt): void {
    this.#attempts.push(attempt);
    this.#run();
  }

  /** Releases the webhook of a worker that has stopped. */
  release(worker: EndpointWorker): void {
    this.#stopped.add(worker);
    this.#run();
  }

  /** Releases a webhook that has no worker, because it could not be opened. */
  releaseUnopened(release: Release): void {
    this.#unopened.push(release);
    this.#run();
  }

  /** Resolves when nothing is left to store. */
  async drained(): Promise<void> {
    await this.#running;
  }

  #run(): void {
    this.#running ??= this.#storeAll();
  }

  async #storeAll(): Promise<void> {
    // Attempts that end in the same turn of the event loop are stored together.
    await setImmediate();
    while (this.#attempts.length > 0 || this.#stopped.size > 0 || this.#unopened.length > 0) await this.#storeBatch();
    this.#running = undefined;
  }

  async #storeBatch(): Promise<void> {
    const attempts = this.#attempts.slice(0, MAX_BATCH);
    this.#attempts = this.#attempts.slice(MAX_BATCH);
    const byWorker = Map.groupBy(attempts, ({ worker }) => worker);
    for (const [worker, own] of byWorker) {
      if (!worker.isDoneAfter(own.length)) continue;
      worker.stop();
      this.#stopped.add(worker);
    }
    const stopped = [...this.#stopped];
    this.#stopped.clear();
    const unopened = this.#unopened;
    this.#unopened = [];
    const refused = await this.#storeUnlessRefused({
      outcomes: attempts.map(({ outcome }) => outcome),
      failing: newestNotes(attempts),
      releases: [...unopened, ...stopped.map((worker) => worker.release())],
    });
    for (const { worker, outcome, onStored } of attempts) {
      const isRefused = refused?.includes(outcome) === true;
      if (isRefused) worker.coolDown(this.#refusedUntil());
      worker.recordStored(outcome.sequence);
      if (refused && !isRefused) onStored?.();
    }
    this.#options.onReleased(stopped);
    for (const worker of byWorker.keys()) worker.pump();
  }

  /**
   * Stores all outcomes of a batch that the store accepts. Returns the refused ones; undefined when the process stops before
   * that.
   */
  async #storeUnlessRefused(batch: OutcomeBatch): Promise<readonly AttemptOutcome[] | undefined> {
    const { storeBatch, storeOutcomes } = this.#store;
    try {
      return (await storeBatch(batch)) ? [] : undefined;
    } catch {
      const refused = await storeOutcomes(batch.outcomes);
      const ids = new Set(refused.map(({ webhookId }) => webhookId));
      const until = this.#refusedUntil();
      const releases = batch.releases.map((release) =>
        ids.has(release.webhookId) ? { ...release, heldUntil: Math.max(release.heldUntil, until) } : release,
      );
      try {
        return (await storeBatch({ ...batch, outcomes: [], releases })) ? refused : undefined;
      } catch (error) {
        this.#options.logger.error({ err: error }, "webhooks could not be released");
        return refused;
      }
    }
  }

  #refusedUntil(): number {
    return this.#options.clock() + REFUSED_COOL_DOWN_MS;
  }
}
