// The writer thread of the embedded store, seen from the serving thread: jobs of one turn of the event loop travel
// as one message.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { StoreError } from "./database.ts";
import type { Job, JobReply } from "./writer-thread.ts";

export interface Writer {
  /** Runs a job in the writer thread; resolves after its group is on disk. */
  post(input: unknown): Promise<unknown>;
  /** How long the job that waits for longest has been waiting; 0 when none is. */
  waitingMs(): number;
  /** Finishes what was posted, then ends the thread. */
  close(): Promise<void>;
}

// Jobs leave little behind; V8's default would keep 10 MB more of an idle server's memory.
const YOUNG_GENERATION_MB = 8;

/**
 * What the thread runs first, as JavaScript: it does not inherit the compile cache, which must be on before the first
 * TypeScript is read (see bin/reeve.js).
 */
function bootstrapOf(entry: URL): string {
  return `require("node:module").enableCompileCache(); void import(${JSON.stringify(entry.href)});`;
}

interface Waiting {
  readonly postedAt: number;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export interface WriterOptions {
  /** The module that the thread runs. */
  readonly entry: URL;
  readonly workerData: unknown;
  /** Turns what a failed job posted into an error. */
  decodeFailure(failure: unknown): Error;
  /** Called when a group is on disk, before its jobs are answered. */
  onCommit(): void;
  /** Called once when the thread ends without having been told to: nothing can be written any more. */
  onLost(error: Error): void;
}

export function startWriter({ entry, workerData, decodeFailure, onCommit, onLost }: WriterOptions): Writer {
  const worker = new Worker(bootstrapOf(entry), {
    eval: true,
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  const waiting = new Map<number, Waiting>();
  let nextJobId = 1;
  let batch: Job[] = [];
  let death: Error | undefined;
  let isClosing = false;

  function end(cause: Error | undefined): void {
    if (death) return;
    death = new StoreError("the writer thread has ended", { cause, trouble: "writer_lost" });
    const unknown = new StoreError("the writer thread has ended without an answer", {
      cause,
      trouble: "outcome_unknown",
    });
    for (const { reject } of waiting.values()) reject(unknown);
    waiting.clear();
    if (!isClosing) onLost(cause ?? death);
  }

  worker.on("message", (replies: JobReply[]) => {
    onCommit();
    for (const reply of replies) {
      const entryOfJob = waiting.get(reply.id);
      waiting.delete(reply.id);
      if (reply.ok) entryOfJob?.resolve(reply.output);
      else entryOfJob?.reject(decodeFailure(reply.failure));
    }
    if (waiting.size === 0 && !isClosing) worker.unref();
  });
  worker.on("error", end);
  worker.on("exit", () => end(undefined));
  // Work that waits keeps the process alive; the thread alone does not.
  worker.unref();

  function flush(): void {
    if (batch.length === 0) return;
    const jobs = batch;
    batch = [];
    worker.postMessage(jobs);
  }

  return {
    post(input) {
      if (death) return Promise.reject(death);
      const id = nextJobId++;
      if (waiting.size === 0) worker.ref();
      if (batch.length === 0) setImmediate(flush);
      batch.push({ id, input });
      return new Promise((resolve, reject) => waiting.set(id, { postedAt: performance.now(), resolve, reject }));
    },
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
