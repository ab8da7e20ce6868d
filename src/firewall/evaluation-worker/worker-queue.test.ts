import assert from "node:assert/strict";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { WorkerQueue } from "./worker-queue.ts";
import type { WorkerQueueOptions } from "./worker-queue.ts";

/** Echoes its input; `forever` loops, `memory` fills the heap, `fail` throws, `refuse` posts a failure. */
const ECHO = `
  const { parentPort } = require("node:worker_threads");
  parentPort.on("message", (input) => {
    if (input === "forever") for (;;);
    if (input === "memory") for (const kept = []; ; ) kept.push(Array.from({ length: 100_000 }, String));
    if (input === "fail") throw new Error("planted");
    if (input === "refuse") parentPort.postMessage({ ok: false, failure: { kind: "unknown", name: "Error", message: "no" } });
    else parentPort.postMessage({ ok: true, output: input });
  });
  parentPort.postMessage("ready");
`;
const NEVER = new AbortController().signal;

function openQueue(options: Partial<WorkerQueueOptions> = {}, code = ECHO) {
  const threads: Worker[] = [];
  const queue = new WorkerQueue({
    deadlineMs: 600_000,
    maxWaitMs: 600_000,
    maxWaiting: 8,
    maxWaitingOfOne: 4,
    idleMs: 600_000,
    launch() {
      const thread = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 32 } });
      threads.push(thread);
      return thread;
    },
    refuse: (reason) => new Error(reason),
    ...options,
  });
  return { queue, threads };
}

test("callers take turns, however many jobs one of them has", async () => {
  const { queue, threads } = openQueue();
  const order: unknown[] = [];
  const ask = async (caller: string, input: string) => order.push(await queue.run(caller, input, NEVER));
  await Promise.all([ask("a", "a1"), ask("a", "a2"), ask("a", "a3"), ask("b", "b1"), ask("c", "c1"), ask("b", "b2")]);
  assert.deepEqual(order, ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assert.equal(threads.length, 1);
  await queue.close();
});

test("waiting jobs are bounded, of all callers and of one", async () => {
  const { queue } = openQueue({ maxWaiting: 3, maxWaitingOfOne: 2 });
  const callers = ["a", "a", "a", "b", "c"];
  const outcomes = await Promise.allSettled(callers.map((caller) => queue.run(caller, caller, NEVER)));
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value : outcome.reason.message)),
    ["a", "a", "full", "b", "full"],
  );
  await queue.close();
});

test("a job that runs or waits for too long, or has lost its caller, ends, and others go on", async () => {
  const late = openQueue({ deadlineMs: 50 });
  const afterwards = [late.queue.run("a", "forever", NEVER), late.queue.run("a", "next", NEVER)] as const;
  await assert.rejects(afterwards[0], { message: "late" });
  assert.equal(await afterwards[1], "next");
  await late.queue.close();

  const unready = openQueue({ maxWaitMs: 50 }, "setInterval(() => undefined, 1_000)");
  await assert.rejects(unready.queue.run("a", "waits", NEVER), { message: "waited" });
  await unready.queue.close();

  const { queue, threads } = openQueue();
  const gone = new AbortController();
  await queue.run("a", "first", NEVER);
  const running = queue.run("a", "forever", gone.signal);
  const waiting = new AbortController();
  const left = queue.run("b", "left", waiting.signal);
  waiting.abort();
  await assert.rejects(left, { message: "gone" });
  gone.abort();
  await assert.rejects(running, { message: "gone" });
  assert.equal(threads.length, 1);
  await queue.close();
  await assert.rejects(queue.run("a", "more", NEVER), { message: "closed" });
});

test("a job that takes too much memory, fails or is refused ends alone", async () => {
  const { queue } = openQueue();
  await assert.rejects(queue.run("a", "memory", NEVER), { message: "memory" });
  await assert.rejects(queue.run("a", "fail", NEVER), { message: "planted" });
  await assert.rejects(queue.run("a", "refuse", NEVER), { message: "no" });
  assert.equal(await queue.run("a", "next", NEVER), "next");
  await queue.close();
});

test("a thread that cannot load fails the jobs, and is not launched again and again", async () => {
  const { queue, threads } = openQueue({}, `throw new Error("no such module")`);
  const outcomes = await Promise.allSettled([queue.run("a", 1, NEVER), queue.run("b", 2, NEVER)]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason.message),
    ["no such module", "no such module"],
  );
  assert.equal(threads.length, 1);
  await queue.close();
});

test("an idle thread ends, and the next job launches another", async () => {
  const { queue, threads } = openQueue({ idleMs: 0 });
  assert.equal(await queue.run("a", 1, NEVER), 1);
  await new Promise((resolve) => threads[0]?.once("exit", resolve));
  assert.equal(await queue.run("a", 2, NEVER), 2);
  assert.equal(threads.length, 2);
  await queue.close();
});
