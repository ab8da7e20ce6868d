// What is measured, and in which order: all scenarios of a table take turns, round after round, so that a slow moment
// of the machine falls on all of them and their ratios hold.
import { percentile, runLoad } from "./load.ts";
import { cpuSeconds } from "./processes.ts";
import type { ServerProcess } from "./processes.ts";
import { rowOfSamples } from "./table.ts";
import type { Row, Sample } from "./table.ts";

export const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 10);
export const DURATION_MS = Number(process.env["BENCH_MS"] ?? 500);
/** Of one warming up; there are as many as make the server faster. */
export const WARM_UP_MS = 2 * DURATION_MS;
export const MOST_WARM_UPS = 10;
/** Less is the machine's own unrest. */
const FASTER = 1.05;
/** What is compiled beside a busy server and its client, on two cores, is late. */
const PATIENCE = 2;

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

/** Reads under full load, from a client that never sleeps. */
export function fullReadLoad(name: string, server: ServerProcess, request: () => Buffer): Scenario {
  return callScenario(name, { server, connections: FULL_LOAD, isAwake: true, request });
}

/** Changes under full load. A client that never sleeps would take the core that a server's second thread works on. */
export function fullWriteLoad(name: string, server: ServerProcess, request: () => Buffer): Scenario {
  return callScenario(name, { server, connections: FULL_LOAD, isAwake: false, request });
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

/**
 * Runs a scenario until it gets no faster: V8 compiles what is called often in the end, in steps, and a way through
 * thousands of functions takes it many seconds. Measured before, the longest way would seem slowest by far.
 */
export async function warmUp(scenario: Scenario, most = MOST_WARM_UPS): Promise<void> {
  let fastest = 0;
  for (let run = 0, inVain = 0; run < most && inVain < PATIENCE; run++) {
    const { perSecond } = await measureOnce(scenario, WARM_UP_MS);
    inVain = perSecond > FASTER * fastest ? 0 : inVain + 1;
    fastest = Math.max(fastest, perSecond);
  }
}

/** Warms every scenario up, then lets them take turns. */
export async function runRounds(scenarios: readonly Scenario[], mostWarmUps = MOST_WARM_UPS): Promise<Row[]> {
  for (const scenario of scenarios) await warmUp(scenario, mostWarmUps);
  const samples = scenarios.map((): Sample[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, scenario] of scenarios.entries()) samples[at]?.push(await measureOnce(scenario, DURATION_MS));
  }
  return scenarios.map(({ name }, at) => rowOfSamples(name, samples[at] ?? []));
}
