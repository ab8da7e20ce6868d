// The writer thread of the embedded store, seen from the serving thread: jobs of one turn of the event loop travel
// as one message.
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { Worker } from "node:worker_threads";
import type { ResourceLimits } from "node:worker_threads";
import { createAfterReady } from "../../kernel/scheduling/after-ready.ts";
import { StoreError } from "../database.ts";
import type { WorkTiming } from "../database.ts";
import { createStoreMeter } from "../meter.ts";
import type { StoreMeter } from "../meter.ts";
import type { GroupReply, Job, JobReply } from "./writer-thread.ts";

export interface Writer {
  /** Runs a job in the writer thread; resolves after its group is on disk. `observe` is told how long that took. */
  post(input: unknown, observe?: (timing: WorkTiming) => void): Promise<unknown>;
  /** Jobs that are not on disk yet. */
  pending(): number;
  /** How long the job that waits for longest has been waiting; 0 when none is. */
  waitingMs(): number;
  /** Finishes what was posted, then ends the thread. */
  close(): Promise<void>;
}

// Jobs leave little behind; V8's default would keep 10 MB more of an idle server's memory.
const YOUNG_GENERATION_MB = 8;

/**
 * What the thread runs first, as JavaScript: it does not inherit this thread's compile cache, which must be on before the
 * first TypeScript is read (see bin/reeve.js).
 */
function bootstrapOf(entry: URL): string {
  const cache = getCompileCacheDir();
  // Node.js names a folder of its own in the one that it is given.
  const enable =
    cache === undefined ? "" : `require("node:module").enableCompileCache(${JSON.stringify(dirname(cache))});`;
  return `${enable} void import(${JSON.stringify(entry.href)});`;
}

interface Waiting {
  readonly postedAt: number;
  readonly observe: ((timing: WorkTiming) => void) | undefined;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export interface WriterOptions {
  /** A launched thread. */
  readonly thread: Worker;
  /** What its module is to work on. */
  readonly setup: unknown;
  /** Turns what a failed job posted into an error. */
  decodeFailure(failure: unknown): Error;
  /** Called when a group is on disk, before its jobs are answered. */
  onCommit(): void;
  /** Called once when the thread ends without having been told to: nothing can be written any more. */
  onLost(error: Error): void;
  readonly meter?: StoreMeter;
}

/** Launches a thread that runs a module which serves what is posted to it. It does not keep the process alive. */
export function launchThread(entry: URL, limits: ResourceLimits = {}): Worker {
  const thread = new Worker(bootstrapOf(entry), {
    eval: true,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB, ...limits },
  });
  thread.unref();
  return thread;
}

export function startWriter(options: WriterOptions): Writer {
  const { thread: worker, setup, decodeFailure, onCommit, onLost, meter = createStoreMeter() } = options;
  const waiting = new Map<number, Waiting>();
  let nextJobId = 1;
  let batch: Job[] = [];
  let death: Error | undefined;
  let isClosing = false;

  function end(cause: Error | undefined): void {
    if (death) return;
    death = new StoreError("the writer thread has ended", { cause, reason: "writer_lost" });
    const unknown = new StoreError("the writer thread has ended without an answer", {
      cause,
      reason: "outcome_unknown",
    });
    for (const { reject } of waiting.values()) reject(unknown);
    waiting.clear();
    if (!isClosing) onLost(cause ?? death);
  }

  function answer(reply: JobReply, group: GroupReply, now: number): void {
    const job = waiting.get(reply.id);
    if (!job) return;
    waiting.delete(reply.id);
    // Of the time since it was posted, what its group did not take: the way there and back counts as waiting.
    const waitMs = Math.max(0, now - job.postedAt - group.runMs - group.commitMs);
    meter.waits.observe(waitMs / 1_000);
    const { runMs = 0 } = reply;
    job.observe?.({ waitMs, runMs, commitMs: group.runMs + group.commitMs - runMs });
    if (reply.ok) job.resolve(reply.output);
    else job.reject(decodeFailure(reply.failure));
  }

  worker.on("message", (group: GroupReply) => {
    onCommit();
    const { replies, beginMs, runMs, commitMs, retries } = group;
    meter.groups.observe(replies.length);
    meter.transactions.observe((beginMs + runMs + commitMs) / 1_000);
    meter.commits.observe(commitMs / 1_000);
    for (let retry = 0; retry < retries; retry++) meter.noteRetry();
    const now = performance.now();
    for (const reply of replies) answer(reply, group, now);
    // Work that waits keeps the process alive; the thread alone does not.
    if (waiting.size === 0 && !isClosing) worker.unref();
  });
  worker.on("error", end);
  worker.on("exit", () => end(undefined));
  worker.postMessage(setup);

  function flush(): void {
    if (batch.length === 0) return;
    const jobs = batch;
    batch = [];
    worker.postMessage(jobs);
  }
  const flushAfterReady = createAfterReady(flush);

  return {
    post(input, observe) {
      if (death) return Promise.reject(death);
      const id = nextJobId++;
      if (waiting.size === 0) worker.ref();
      if (batch.length === 0) flushAfterReady();
      batch.push({ id, input, isTimed: observe !== undefined });
      const postedAt = performance.now();
      return new Promise((resolve, reject) => waiting.set(id, { postedAt, observe, resolve, reject }));
    },
    pending: () => waiting.size,
    waitingMs() {
      for (const { postedAt } of waiting.values()) return performance.now() - postedAt;
      return 0;
    },
    async close() {
      if (death) return;
      isClosing = true;
      const exited = once(worker, "exit");
      worker.ref();
      flush();
      worker.postMessage("stop");
      await exited;
    },
  };
}
