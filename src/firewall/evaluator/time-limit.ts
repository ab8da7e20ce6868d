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

/** What an evaluation may take, counted between looks at the clock. */
const LIMIT_MS = 4;
/** Code that has run a few times only takes several times as long: the first bodies of a process get more time. */
const FIRST_LIMIT_MS = 20;
const FIRST_BODIES = 100;
/** Steps between two looks take less. In a longer gap the machine had put the process aside, and only this much of it counts. */
const MAX_GAP_MS = 1;
/** Plain conditions between two looks at the clock. */
const CONDITIONS = 8;

/** Time of the last look, as of `performance.now()`; 0: no limit is in force. */
let lookedAt = 0;
let usedMs = 0;
let limitMs = LIMIT_MS;
let bodies = 0;
/** CPU time of the thread when the evaluation began; null: only the clock counts. */
let cpuAtStart: NodeJS.CpuUsage | null = null;
let conditions = 0;

/** Throws a `TimeLimitError` when a limit is in force and its time is over. `mostMs` is what the step before may have taken. */
export function checkTime(mostMs = MAX_GAP_MS): void {
  if (lookedAt === 0) return;
  const now = performance.now();
  usedMs += Math.min(now - lookedAt, mostMs);
  lookedAt = now;
  if (usedMs <= limitMs) return;
  if (cpuAtStart !== null) {
    const { user, system } = process.threadCpuUsage(cpuAtStart);
    usedMs = (user + system) / 1_000;
    if (usedMs <= limitMs) return;
  }
  throw new TimeLimitError();
}

/** The same for a step that takes little time. */
export function countStep(): void {
  conditions = (conditions + 1) % CONDITIONS;
  if (conditions === 0) checkTime();
}

/** Characters between two looks at the clock, and those that the slowest work of one step gets through in a millisecond. */
const CHARACTERS = 4_096;
const SLOWEST_CHARACTERS = 20_000;
let characters = 0;

/** Called after work on so many characters of one value, which a single step may have done. */
export function countCharacters(count: number): void {
  characters += count;
  if (characters < CHARACTERS) return;
  checkTime(MAX_GAP_MS + characters / SLOWEST_CHARACTERS);
  characters = 0;
}

export function isTimeLimited(): boolean {
  return lookedAt !== 0;
}

/**
 * Runs an evaluation that throws a `TimeLimitError` after 4 to 5 ms. Within another one, the limit of that one is in force. Steps through
 * bodies are so long that the machine may put the process aside in the middle of many: `hasBody` counts CPU time instead, which costs 2 us.
 * The first bodies of a process get 20 ms.
 */
export function withTimeLimit<T>(evaluate: () => T, hasBody = false): T {
  if (lookedAt !== 0) return evaluate();
  lookedAt = performance.now();
  usedMs = 0;
  if (hasBody) bodies++;
  limitMs = hasBody && bodies <= FIRST_BODIES ? FIRST_LIMIT_MS : LIMIT_MS;
  cpuAtStart = hasBody ? process.threadCpuUsage() : null;
  try {
    return evaluate();
  } finally {
    lookedAt = 0;
  }
}
