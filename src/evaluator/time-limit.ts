// Bounds the time of one evaluation: no configuration may hold up a server that decides about requests between others. Evaluation is
// synchronous, so the limit in force is that of the module.
import { performance } from "node:perf_hooks";

/** The evaluation was given up, because it took too long. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";

  constructor() {
    super("the evaluation took too long");
  }
}

/** Below this nothing is measured but the time of day. */
const FREE_MS = 2.5;
/** CPU of the thread beyond that. A process that the machine has put aside for a while goes on. */
const CPU_US = 1_500;
/** Plain conditions between two looks at the clock. */
const CONDITIONS = 64;

/** When the free time ends, as of `performance.now()`; 0: no limit is in force. */
let freeUntil = 0;
/** CPU of the thread when it ended, in us; -1: it has not. */
let cpuAtEnd = -1;
let conditions = 0;

function threadUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Throws a `TimeLimitError` when a limit is in force and its time is over. */
export function checkTime(): void {
  if (freeUntil === 0 || performance.now() < freeUntil) return;
  const cpu = threadUs();
  if (cpuAtEnd < 0) cpuAtEnd = cpu;
  else if (cpu - cpuAtEnd > CPU_US) throw new TimeLimitError();
}

/** The same for a step that takes little time. */
export function countStep(): void {
  conditions = (conditions + 1) % CONDITIONS;
  if (conditions === 0) checkTime();
}

export function isTimeLimited(): boolean {
  return freeUntil !== 0;
}

/** Runs an evaluation that throws a `TimeLimitError` after about 5 ms. */
export function withTimeLimit<T>(evaluate: () => T): T {
  freeUntil = performance.now() + FREE_MS;
  cpuAtEnd = -1;
  try {
    return evaluate();
  } finally {
    freeUntil = 0;
  }
}
