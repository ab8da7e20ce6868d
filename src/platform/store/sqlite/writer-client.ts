// The writer thread of the embedded store, as the serving thread uses it: jobs of one turn of the event loop are posted as one
// message.
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { ResourceLimits } from "node:worker_threads";
import { createAfterReady } from "../../kernel/scheduling/after-ready.ts";
import { StoreError } from "../database.ts";
import type { WorkTiming } from "../database.ts";
import { decodeFailure } from "../encoded-failure.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreMeter } from "../meter.ts";
import type { GroupReply, Job, JobReply } from "./writer-thread.ts";

export interface Writer {
  /** Runs a job in the writer thread; resolves after its group is on disk. `observe` gets the times. */
  post(input: unknown, observe?: (timing: WorkTiming) => void): Promise<unknown>;
  /** Jobs that are not on disk yet. */
  pending(): number;
  /** The age of the oldest job that is not on disk yet; 0 without one. */
  waitingMs(): number;
  /** Finishes what was posted, then ends the thread. */
  close(): Promise<void>;
}

// Jobs leave little garbage; V8's default would keep 10 MB more of memory in an idle server.
const YOUNG_GENERATION_MB = 8;

/**
 * The first code of the thread, as JavaScript: a thread does not inherit the compile cache, which must be on before the first
 * TypeScript is read (see bin/reeve.js).
 */
function bootstrapOf(entry: URL): string {
  const cache = getCompileCacheDir();
  // Node.js makes a folder of its own below the given one.
  const enable =
    cache === undefined ? "" : `require("node:module").enableCompileCache(${JSON.stringify(dirname(cache))});`;
  return `${enable} void import(${JSON.stringify(entry.href)});`;
}

export interface WriterOptions {
  /** A launched thread. */
  readonly thread: Worker;
  /** The first message to the thread. */
  readonly setup: unknown;
  /** Called when a group is on disk, before its jobs are settled. */
  onCommit(): void;
  /** Called once when the thread ends by itself: nothing can be written any more. */
  onLost(error: Error): void;
  readonly meter?: StoreMeter;
}

/** Launches a thread that runs a module. It does not keep the process alive. What it prints waits for `passWarningsOn`. */
export function launchThread(entry: URL, limits: ResourceLimits = {}): Worker {
  const thread = new Worker(bootstrapOf(entry), {
    eval: true,
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...limits },
  });
  thread.unref();
  return thread;
}

/**
 * Makes of what Node.js or a library prints in a thread, such as a warning, a warning of this thread, which has the log. From then on the
 * thread keeps the process alive until it ends.
 */
export function passWarningsOn(thread: Worker): void {
  thread.stderr.setEncoding("utf8").on("data", (text: string) => process.emitWarning(text.trimEnd(), "ThreadWarning"));
}

interface PendingJob {
  readonly postedAt: number;
  readonly observe: ((timing: WorkTiming) => void) | undefined;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

/** The jobs that are not on disk yet, in the order in which they were posted. */
class PendingJobs {
  readonly #jobs = new Map<number, PendingJob>();
  readonly #meter: StoreMeter;
  #nextId = 1;

  constructor(meter: StoreMeter) {
    this.#meter = meter;
  }

  get size(): number {
    return this.#jobs.size;
  }

  /** The age of the oldest job; 0 without one. */
  waitingMs(): number {
    for (const { postedAt } of this.#jobs.values()) return performance.now() - postedAt;
    return 0;
  }

  add(observe: PendingJob["observe"]): { readonly id: number; readonly outcome: Promise<unknown> } {
    const id = this.#nextId++;
    const postedAt = performance.now();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#jobs.set(id, { postedAt, observe, resolve, reject });
    return { id, outcome: promise };
  }

  /** Settles the jobs of a group that has ended. */
  settle(group: GroupReply): void {
    const now = performance.now();
    for (const reply of group.replies) this.#settleJob(reply, group, now);
  }

  #settleJob(reply: JobReply, group: GroupReply, now: number): void {
    const job = this.#jobs.get(reply.id);
    if (!job) return;
    this.#jobs.delete(reply.id);
    // The wait is all time since posting that its group did not take: the transfer between the threads counts as waiting.
    const waitMs = Math.max(0, now - job.postedAt - group.runMs - group.commitMs);
    this.#meter.waits.observe(waitMs / 1_000);
    const { runMs = 0 } = reply;
    job.observe?.({ waitMs, runMs, commitMs: group.runMs + group.commitMs - runMs });
    if (reply.ok) job.resolve(reply.output);
    else job.reject(decodeFailure(reply.failure));
  }

  rejectAll(error: Error): void {
    for (const { reject } of this.#jobs.values()) reject(error);
    this.#jobs.clear();
  }
}

function observeGroup(meter: StoreMeter, { replies, beginMs, runMs, commitMs, retries }: GroupReply): void {
  meter.groups.observe(replies.length);
  meter.transactions.observe((beginMs + runMs + commitMs) / 1_000);
  meter.commits.observe(commitMs / 1_000);
  for (let retry = 0; retry < retries; retry++) meter.recordRetry();
}

/** Jobs to post to the thread: those of one turn of the event loop are one message. */
function createBatch(worker: Worker) {
  let batch: Job[] = [];
  function flush(): void {
    if (batch.length === 0) return;
    const jobs = batch;
    batch = [];
    worker.postMessage(jobs);
  }
  const flushAfterReady = createAfterReady(flush);
  return {
    flush,
    add(job: Job): void {
      if (batch.length === 0) flushAfterReady();
      batch.push(job);
    },
  };
}

export function startWriter(options: WriterOptions): Writer {
  const { thread: worker, setup, onCommit, onLost, meter = createStoreMeter() } = options;
  const jobs = new PendingJobs(meter);
  const batch = createBatch(worker);
  let death: Error | undefined;
  let isClosing = false;

  function die(cause: Error | undefined): void {
    if (death) return;
    death = new StoreError("the writer thread has ended", { cause, reason: "writer_lost" });
    jobs.rejectAll(
      new StoreError("the writer thread has ended without a result", { cause, reason: "outcome_unknown" }),
    );
    if (!isClosing) onLost(cause ?? death);
  }

  worker.on("message", (group: GroupReply) => {
    onCommit();
    observeGroup(meter, group);
    jobs.settle(group);
    // Pending jobs keep the process alive; the thread alone does not.
    if (jobs.size === 0 && !isClosing) worker.unref();
  });
  worker.on("error", die);
  worker.on("exit", () => die(undefined));
  passWarningsOn(worker);
  worker.postMessage(setup);

  return {
    post(input, observe) {
      if (death) return Promise.reject(death);
      if (jobs.size === 0) worker.ref();
      const { id, outcome } = jobs.add(observe);
      batch.add({ id, input, isTimed: observe !== undefined });
      return outcome;
    },
    pending: () => jobs.size,
    waitingMs: () => jobs.waitingMs(),
    async close() {
      if (death) return;
      isClosing = true;
      const exited = once(worker, "exit");
      worker.ref();
      batch.flush();
      worker.postMessage("stop");
      await exited;
    },
  };
}
