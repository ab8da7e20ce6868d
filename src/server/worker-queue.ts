// Jobs for a worker thread that may take long, one at a time: callers take turns, and a job that runs for too long, takes too
// much memory or is no longer waited for ends with its thread. There is none while nothing is asked of it.
import type { Worker } from "node:worker_threads";

/** Why a job was not carried out. */
export type QueueRefusal = "full" | "waited" | "late" | "memory" | "gone" | "closed";

export interface WorkerQueueBounds {
  /** How much of the processor a job may take: what else the machine does is not the caller's fault. */
  readonly deadlineMs: number;
  /** How long a job may wait for its turn. */
  readonly maxWaitMs: number;
  /** Jobs that may wait, of everybody and of one caller. */
  readonly maxWaiting: number;
  readonly maxWaitingOfOne: number;
  /** How long a thread is kept that has nothing to do. */
  readonly idleMs: number;
}

export interface WorkerQueueOptions extends WorkerQueueBounds {
  /** A thread that serves as `serveJobs` does. */
  launch(): Worker;
  refuse(reason: QueueRefusal): Error;
  /** Turns what a failed job posted into an error. */
  decodeFailure(failure: unknown): Error;
}

/** What a thread posts: that it has loaded, or what became of its job. */
export type WorkerReply =
  | "ready"
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly failure: unknown };

export interface WorkerQueue {
  /** Carries out a job when the caller's turn comes; `signal`: nobody waits for it any more. */
  run(caller: string, input: unknown, signal: AbortSignal): Promise<unknown>;
  close(): Promise<void>;
}

interface Job {
  readonly caller: string;
  readonly input: unknown;
  timer: NodeJS.Timeout | undefined;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

export function createWorkerQueue(options: WorkerQueueOptions): WorkerQueue {
  const { deadlineMs, maxWaitMs, maxWaiting, maxWaitingOfOne, idleMs, launch, refuse, decodeFailure } = options;
  /** By caller, those first whose turn comes first. */
  const waiting = new Map<string, Job[]>();
  let count = 0;
  let thread: Worker | undefined;
  let isReady = false;
  let running: Job | undefined;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Looks again as soon as the job may have taken all that it may take. */
  function watch(worker: Worker, job: Job, before: Promise<NodeJS.CpuUsage>, leftMs: number): void {
    job.timer = setTimeout(() => void look(worker, job, before), Math.ceil(leftMs)).unref();
  }

  async function look(worker: Worker, job: Job, before: Promise<NodeJS.CpuUsage>): Promise<void> {
    let leftMs = deadlineMs;
    try {
      const { user, system } = await worker.cpuUsage(await before);
      leftMs -= (user + system) / 1_000;
    } catch {
      // The thread has ended, and its job with it.
    }
    if (job !== running) return;
    if (leftMs <= 0) giveUp(job, refuse("late"));
    else watch(worker, job, before, leftMs);
  }

  function remove(job: Job): void {
    const others = (waiting.get(job.caller) ?? []).filter((other) => other !== job);
    count--;
    waiting.set(job.caller, others);
    if (others.length === 0) waiting.delete(job.caller);
  }

  function start(worker: Worker, job: Job): void {
    remove(job);
    // Whoever has a turn is behind all others then.
    const others = waiting.get(job.caller);
    if (others) {
      waiting.delete(job.caller);
      waiting.set(job.caller, others);
    }
    running = job;
    clearTimeout(job.timer);
    const before = worker.cpuUsage();
    before.catch(() => undefined);
    watch(worker, job, before, deadlineMs);
    worker.postMessage(job.input);
  }

  /** Ends the thread, with whatever it is doing. */
  function drop(): Promise<unknown> | undefined {
    const dropped = thread;
    thread = undefined;
    isReady = false;
    return dropped?.terminate();
  }

  function giveUp(job: Job, error: Error): void {
    if (job === running) {
      running = undefined;
      void drop();
    } else {
      remove(job);
    }
    job.reject(error);
    next();
  }

  function lose(error: Error): void {
    const isMemory = (error as { code?: string }).code === "ERR_WORKER_OUT_OF_MEMORY";
    // A thread that ends before it has loaded would do so again.
    const lost = isReady ? [] : [...waiting.values()].flat();
    if (running) lost.push(running);
    running = undefined;
    void drop();
    for (const job of lost) {
      if (waiting.get(job.caller)?.includes(job)) remove(job);
      job.reject(isMemory ? refuse("memory") : error);
    }
    next();
  }

  function open(): Worker {
    const opened = launch();
    // What a thread that was dropped says on its way out is of no interest.
    const isCurrent = () => thread === opened;
    opened.on("message", (reply: WorkerReply) => {
      if (!isCurrent()) return;
      if (reply === "ready") isReady = true;
      else {
        const done = running;
        running = undefined;
        if (reply.ok) done?.resolve(reply.output);
        else done?.reject(decodeFailure(reply.failure));
      }
      next();
    });
    opened.on("error", (error: Error) => isCurrent() && lose(error));
    opened.on("exit", () => isCurrent() && lose(new Error("the worker thread has ended")));
    return opened;
  }

  function next(): void {
    if (running || isClosed) return;
    const [job] = waiting.values().next().value ?? [];
    clearTimeout(idle);
    if (!job) {
      idle = setTimeout(() => void drop(), idleMs).unref();
      return;
    }
    thread ??= open();
    if (isReady) start(thread, job);
  }

  return {
    run(caller, input, signal) {
      if (isClosed) return Promise.reject(refuse("closed"));
      if (signal.aborted) return Promise.reject(refuse("gone"));
      const own = waiting.get(caller) ?? [];
      if (count >= maxWaiting || own.length >= maxWaitingOfOne) return Promise.reject(refuse("full"));
      return new Promise((resolve, reject) => {
        const leave = () => giveUp(job, refuse("gone"));
        const end = (settle: () => void) => {
          clearTimeout(job.timer);
          signal.removeEventListener("abort", leave);
          settle();
        };
        const job: Job = {
          caller,
          input,
          timer: undefined,
          resolve: (output) => end(() => resolve(output)),
          reject: (error) => end(() => reject(error)),
        };
        signal.addEventListener("abort", leave);
        waiting.set(caller, [...own, job]);
        count++;
        job.timer = setTimeout(() => giveUp(job, refuse("waited")), maxWaitMs).unref();
        next();
      });
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      const left = [...waiting.values()].flat();
      if (running) left.push(running);
      waiting.clear();
      running = undefined;
      for (const job of left) job.reject(refuse("closed"));
      await drop();
    },
  };
}
