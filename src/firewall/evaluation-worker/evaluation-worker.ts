// Entry of the worker thread that evaluates requests against firewall configurations.
import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import fastJsonStringify from "fast-json-stringify";
import { encodeFailure } from "../../platform/store/encoded-failure.ts";
import { evaluateContract } from "../evaluation/contract.ts";
import { runEvaluation } from "../evaluation/plan.ts";
import type { EvaluationPlan } from "../evaluation/plan.ts";
import type { WorkerReply } from "./worker-queue.ts";

const NICENESS = 5;

const port = parentPort;
if (!port) throw new Error("evaluation-worker runs in a worker thread");
// Linux has a priority per thread: the serving threads go first. Elsewhere this would lower that of the whole process.
if (process.platform === "linux") setPriority(NICENESS);

const stringify = fastJsonStringify(evaluateContract.evaluateFirewallConfig.response as never) as (
  value: unknown,
) => string;
const encoder = new TextEncoder();

port.on("message", (plan: EvaluationPlan) => {
  try {
    // Rendered in this thread: a response may have megabytes of steps.
    const output = encoder.encode(stringify(runEvaluation(plan)));
    port.postMessage({ ok: true, output } satisfies WorkerReply, [output.buffer]);
  } catch (error) {
    port.postMessage({ ok: false, failure: encodeFailure(error) } satisfies WorkerReply);
  }
});
port.postMessage("ready" satisfies WorkerReply);
