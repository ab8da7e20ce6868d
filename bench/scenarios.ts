// What is measured, and in which order: all scenarios of a table take turns, round after round, so that a slow moment
// of the machine falls on all of them and their ratios hold.
import { percentile, runLoad } from "./load.ts";
import { cpuSeconds } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";
import { rowOfSamples } from "./table.ts";
import type { Row, Sample } from "./table.ts";

export const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
export const DURATION_MS = Number(process.env["BENCH_MS"] ?? 1_000);
/** V8 compiles what is called often in the end, in steps: measured before, code that came first in a run would seem slower. */
export const WARM_UP_MS = 2 * DURATION_MS;

export interface Scenario {
  readonly name: string;
  measure(durationMs: number): Promise<Sample>;
}

export interface CallLoad {
  readonly server: ServerProcess;
  readonly connections: number;
  readonly isAwake: boolean;
  /** The bytes of the next request. */
  request(): Buffer;
}

/** Requests to a server, and what they cost it. */
export function callScenario(name: string, { server, ...load }: CallLoad): Scenario {
  return {
    name,
    async measure(durationMs) {
      const cpuBefore = cpuSeconds(server.pid);
      const result = await runLoad({ port: server.port, durationMs, ...load });
      if (result.failures > 0) {
        throw new Error(`${result.failures} of ${result.requests} answers were refusals`);
      }
      return { ...result, cpuUs: ((cpuSeconds(server.pid) - cpuBefore) * 1e6) / result.requests };
    },
  };
}

/** Enough connections that the server, or its disk, always has something to do. */
const FULL_LOAD = 64;

/** Requests under full load, from a client that never sleeps. */
export function fullLoad(name: string, server: ServerProcess, request: () => Buffer): Scenario {
  return callScenario(name, { server, connections: FULL_LOAD, isAwake: true, request });
}

/** Work on the benchmark's own thread, again and again. */
export function workScenario(name: string, work: () => void): Scenario {
  return {
    name,
    async measure(durationMs) {
      const latencies: number[] = [];
      const cpuBefore = process.cpuUsage();
      const startedAt = performance.now();
      for (let last = startedAt; last < startedAt + durationMs;) {
        work();
        const now = performance.now();
        latencies.push(now - last);
        last = now;
      }
      const { user, system } = process.cpuUsage(cpuBefore);
      const sorted = Float64Array.from(latencies).toSorted();
      return {
        perSecond: latencies.length / ((performance.now() - startedAt) / 1000),
        p50Ms: percentile(sorted, 0.5),
        p99Ms: percentile(sorted, 0.99),
        cpuUs: (user + system) / latencies.length,
      };
    },
  };
}

/** One after the other, over and over. */
export function rotate<T>(items: readonly T[]): () => T {
  let next = 0;
  return () => items[next++ % items.length] as T;
}

/** One measurement; what goes wrong says in which. */
async function measureOnce({ name, measure }: Scenario, durationMs: number): Promise<Sample> {
  try {
    return await measure(durationMs);
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
  }
}

/** Warms every scenario up, then lets them take turns. */
export async function runRounds(scenarios: readonly Scenario[]): Promise<Row[]> {
  for (const scenario of scenarios) await measureOnce(scenario, WARM_UP_MS);
  const samples = scenarios.map((): Sample[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, scenario] of scenarios.entries()) samples[at]?.push(await measureOnce(scenario, DURATION_MS));
  }
  return scenarios.map(({ name }, at) => rowOfSamples(name, samples[at] ?? []));
}
