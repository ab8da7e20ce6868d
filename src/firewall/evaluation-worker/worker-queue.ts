// Jobs for a worker thread, one at a time: callers take turns, and a job that runs for too long, takes too much memory or has
// lost its caller ends with its thread. The thread is launched for the first job, and ends when it is idle.
import type { Worker } from "node:worker_threads";
import { decodeFailure } from "../../platform/store/encoded-failure.ts";
import { createFairQueue } from "./fair-queue.ts";

/** Why a job was not carried out. */
export type QueueRefusal = "full" | "waited" | "late" | "memory" | "gone" | "closed";

export interface WorkerQueueBounds {
  /** The maximum CPU time of a job. Not wall time, since other load of the machine must not fail a job. */
  readonly deadlineMs: number;
  /** The time that a job may wait for its turn. */
  readonly maxWaitMs: number;
  /** Jobs that may wait, of all callers and of one. */
  readonly maxWaiting: number;
  readonly maxWaitingOfOne: number;
  /** The time after which an idle thread ends. */
  readonly idleMs: number;
}

export interface WorkerQueueOptions extends WorkerQueueBounds {
  /** Launches a thread that posts a `WorkerReply` when it is ready, and one for each job. */
  launch(): Worker;
  refuse(reason: QueueRefusal): Error;
}

type JobOutcome = { readonly ok: true; readonly output: unknown } | { readonly ok: false; readonly failure: unknown };

/** A thread posts that it has loaded, and the outcome of each job. */
export type WorkerReply = "ready" | JobOutcome;

interface Job {
  readonly caller: string;
  readonly input: unknown;
  /** Cancels the limit of its waiting or of its running. */
  clearLimit(): void;
  resolve(output: unknown): void;
  reject(error: Error): void;
}

interface JobRequest extends Pick<Job, "caller" | "input" | "resolve" | "reject"> {
  readonly signal: AbortSignal;
  onGone(): void;
}

/** Creates a job that cancels its limit and removes its signal's listener when it is settled. */
function createJob({ caller, input, signal, resolve, reject, onGone }: JobRequest): Job {
  function end(): void {
    job.clearLimit();
    signal.removeEventListener("abort", onGone);
  }
  const job: Job = {
    caller,
    input,
    clearLimit: () => undefined,
    resolve(output) {
      end();
      resolve(output);
    },
    reject(error) {
      end();
      reject(error);
    },
  };
  signal.addEventListener("abort", onGone);
  return job;
}

/** Calls `onLate` when the thread has used this much CPU time from now on; the returned function cancels the watch. */
function watchCpuTime(worker: Worker, deadlineMs: number, onLate: () => void): () => void {
  const before = worker.cpuUsage();
  before.catch(() => undefined);
  let timer: NodeJS.Timeout;
  let isCancelled = false;

  async function check(): Promise<void> {
    let leftMs = deadlineMs;
    try {
      const { user, system } = await worker.cpuUsage(await before);
      leftMs -= (user + system) / 1_000;
    } catch {
      // The thread has ended, and its job with it.
    }
    if (isCancelled) return;
    if (leftMs <= 0) onLate();
    else checkAfter(leftMs);
  }

  /** The earliest time at which the CPU time can be used up. */
  function checkAfter(leftMs: number): void {
    timer = setTimeout(() => void check(), Math.ceil(leftMs)).unref();
  }

  checkAfter(deadlineMs);
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}

interface ThreadListeners {
  onReady(): void;
  onOutcome(outcome: JobOutcome): void;
  /** Called when the thread ends by itself; `wasReady`: it had loaded. */
  onLost(error: Error, wasReady: boolean): void;
}

type ThreadSlot = ReturnType<typeof createThreadSlot>;

/** Holds the thread, if one is running. */
function createThreadSlot(launch: () => Worker, { onReady, onOutcome, onLost }: ThreadListeners) {
  let thread: Worker | undefined;
  let isReady = false;

  /** Ends the thread and its running job. */
  function drop(): Promise<unknown> | undefined {
    const dropped = thread;
    thread = undefined;
    isReady = false;
    return dropped?.terminate();
  }

  function lose(error: Error): void {
    const wasReady = isReady;
    void drop();
    onLost(error, wasReady);
  }

  function open(): Worker {
    const opened = launch();
    // A dropped thread may still post messages until it ends: ignore them.
    const isCurrent = () => thread === opened;
    opened.on("message", (reply: WorkerReply) => {
      if (!isCurrent()) return;
      if (reply === "ready") {
        isReady = true;
        onReady();
      } else {
        onOutcome(reply);
      }
    });
    opened.on("error", (error: Error) => isCurrent() && lose(error));
    opened.on("exit", () => isCurrent() && lose(new Error("the worker thread has ended")));
    return opened;
  }

  return {
    drop,
    /** Returns the thread if it has loaded; launches one if there is none. */
    findReady(): Worker | undefined {
      thread ??= open();
      return isReady ? thread : undefined;
    },
  };
}

export class WorkerQueue {
  readonly #options: WorkerQueueOptions;
  readonly #waiting = createFairQueue<Job>();
  readonly #thread: ThreadSlot;
  #running: Job | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WorkerQueueOptions) {
    this.#options = options;
    this.#thread = createThreadSlot(options.launch, {
      onReady: () => this.#startNext(),
      onOutcome: (outcome) => this.#settle(outcome),
      onLost: (error, wasReady) => this.#failJobs(error, wasReady),
    });
  }

  /** Runs a job when the caller's turn comes; `signal` aborts when the caller has gone. */
  run(caller: string, input: unknown, signal: AbortSignal): Promise<unknown> {
    const { maxWaiting, maxWaitingOfOne, maxWaitMs, refuse } = this.#options;
    if (this.#isClosed) return Promise.reject(refuse("closed"));
    if (signal.aborted) return Promise.reject(refuse("gone"));
    if (this.#waiting.size >= maxWaiting || this.#waiting.countOf(caller) >= maxWaitingOfOne) {
      return Promise.reject(refuse("full"));
    }
    return new Promise((resolve, reject) => {
      const onGone = () => this.#giveUp(job, refuse("gone"));
      const job = createJob({ caller, input, signal, resolve, reject, onGone });
      const timer = setTimeout(() => this.#giveUp(job, refuse("waited")), maxWaitMs).unref();
      job.clearLimit = () => clearTimeout(timer);
      this.#waiting.add(job);
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    const left = [...this.#waiting.all()];
    if (this.#running) left.push(this.#running);
    for (const job of this.#waiting.all()) this.#waiting.remove(job);
    this.#running = undefined;
    for (const job of left) job.reject(this.#options.refuse("closed"));
    await this.#thread.drop();
  }

  /** Starts the next job when the thread is free. */
  #startNext(): void {
    if (this.#running || this.#isClosed) return;
    const job = this.#waiting.first();
    clearTimeout(this.#idle);
    if (!job) {
      this.#idle = setTimeout(() => void this.#thread.drop(), this.#options.idleMs).unref();
      return;
    }
    const thread = this.#thread.findReady();
    if (thread) this.#start(job, thread);
  }

  #start(job: Job, thread: Worker): void {
    const { deadlineMs, refuse } = this.#options;
    this.#waiting.take(job);
    this.#running = job;
    job.clearLimit();
    job.clearLimit = watchCpuTime(thread, deadlineMs, () => this.#giveUp(job, refuse("late")));
    thread.postMessage(job.input);
  }

  /** Settles the running job with the outcome that the thread has posted. */
  #settle(outcome: JobOutcome): void {
    const job = this.#running;
    this.#running = undefined;
    if (outcome.ok) job?.resolve(outcome.output);
    else job?.reject(decodeFailure(outcome.failure));
    this.#startNext();
  }

  /** Takes a job out of the queue, or ends it with its thread. */
  #giveUp(job: Job, error: Error): void {
    if (job === this.#running) {
      this.#running = undefined;
      void this.#thread.drop();
    } else {
      this.#waiting.remove(job);
    }
    job.reject(error);
    this.#startNext();
  }

  /** Rejects the job that a lost thread was running, and those that no other thread would run. */
  #failJobs(error: Error, wasReady: boolean): void {
    const isMemory = (error as { code?: string }).code === "ERR_WORKER_OUT_OF_MEMORY";
    // A thread that ends before it has loaded would fail again: refuse all waiting jobs.
    const lost = wasReady ? [] : [...this.#waiting.all()];
    if (this.#running) lost.push(this.#running);
    this.#running = undefined;
    for (const job of lost) {
      if (this.#waiting.has(job)) this.#waiting.remove(job);
      job.reject(isMemory ? this.#options.refuse("memory") : error);
    }
    this.#startNext();
  }
}
