// Evaluates requests against firewall configurations in a worker thread: it may take seconds, and the expressions come from
// callers.
import type { Worker } from "node:worker_threads";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { RenderedResult } from "../../platform/kernel/contract.ts";
import type { EvaluationPlan } from "../evaluation/plan.ts";
import { launchThread, passWarningsOn } from "../../platform/store/sqlite/writer-client.ts";
import { WorkerQueue } from "./worker-queue.ts";
import type { QueueRefusal, WorkerQueueBounds } from "./worker-queue.ts";

const BOUNDS: WorkerQueueBounds = {
  deadlineMs: 5_000,
  maxWaitMs: 20_000,
  maxWaiting: 20,
  maxWaitingOfOne: 4,
  idleMs: 30_000,
};
/** The heap of the thread: ten times the memory of the largest configuration's expressions. */
const MEMORY_MB = 256;
const RETRY_AFTER_S = 5;

function launch(): Worker {
  // The entry is beside this file in the source, and beside every file in dist/.
  const file = import.meta.url.endsWith(".ts") ? "./evaluation-worker.ts" : "./evaluation-worker.js";
  const thread = launchThread(new URL(file, import.meta.url), { maxOldGenerationSizeMb: MEMORY_MB });
  passWarningsOn(thread);
  return thread;
}

function refuseBusy(): ApiError {
  const message = `Too many requests are being tried on firewall configurations; try again in ${RETRY_AFTER_S} s`;
  return new ApiError("too_many_requests", message, { retryAfter: RETRY_AFTER_S });
}

function refuseCostly(what: string): ApiError {
  const message = `requests: ${what}: try fewer or shorter requests, or a configuration of a lower cost`;
  return new ApiError("firewall_too_costly", message, { field: "body.requests" });
}

export interface Evaluation {
  run(plan: EvaluationPlan, signal: AbortSignal): Promise<RenderedResult>;
  close(): Promise<void>;
}

/** Launches the thread for the first evaluation. */
export function createEvaluation(bounds: Partial<WorkerQueueBounds> = {}): Evaluation {
  const all = { ...BOUNDS, ...bounds };
  const refusals: Readonly<Record<QueueRefusal, () => ApiError>> = {
    full: refuseBusy,
    waited: refuseBusy,
    late: () => refuseCostly(`expected requests that take at most ${all.deadlineMs / 1_000} s to evaluate`),
    memory: () => refuseCostly(`expected requests that take at most ${MEMORY_MB} MB to evaluate`),
    gone: () => new ApiError("bad_request", "The connection ended before the requests were tried"),
    closed: () => new ApiError("shutting_down", "This process is stopping; try again"),
  };
  const queue = new WorkerQueue({ ...all, launch, refuse: (reason) => refusals[reason]() });
  return {
    async run(plan, signal) {
      return { rendered: (await queue.run(plan.caller, plan, signal)) as Uint8Array };
    },
    close: () => queue.close(),
  };
}
