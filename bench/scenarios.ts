// What is measured, and in which order: all scenarios of a table take turns, round after round, so that a slow moment
// of the machine falls on all of them and their ratios hold.
import { runLoad } from "./load.ts";
import type { BenchDatabase } from "./postgres.ts";
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
  /** One, or several on one store. */
  readonly servers: readonly ServerProcess[];
  /** The database server beside them, if there is one. */
  readonly database?: BenchDatabase | undefined;
  readonly connections: number;
  readonly isAwake: boolean;
  /** The bytes of the next request. */
  request(): Buffer;
}

/** Counts the CPU of processes, and of the database beside them, from here on; answers it for each of what is counted. */
export function startMeter(
  processes: Pick<ServerProcess, "pid"> | readonly Pick<ServerProcess, "pid">[],
  database?: BenchDatabase,
): (count: number) => Pick<Sample, "cpuUs" | "databaseCpuUs"> {
  const serving = () => [processes].flat().reduce((sum, { pid }) => sum + cpuSeconds(pid), 0);
  const storing = () => database?.cpuSeconds() ?? Number.NaN;
  const [servedBefore, storedBefore] = [serving(), storing()];
  return (count) => ({
    cpuUs: ((serving() - servedBefore) * 1e6) / count,
    databaseCpuUs: ((storing() - storedBefore) * 1e6) / count,
  });
}

/** Requests to servers, and what they cost them. */
export function callScenario(name: string, { servers, database, ...load }: CallLoad): Scenario {
  const ports = servers.map(({ port }) => port);
  return {
    name,
    async measure(durationMs) {
      const readMeter = startMeter(servers, database);
      const result = await runLoad({ ports, durationMs, ...load });
      if (result.failures > 0) {
        throw new Error(`${result.failures} of ${result.requests} answers were refusals`);
      }
      return { ...result, ...readMeter(result.requests) };
    },
  };
}

/** Enough connections that the server, or its disk, always has something to do. */
export const FULL_LOAD = 64;

/** Reads under full load, from a client that never sleeps. */
export function fullReadLoad(name: string, server: ServerProcess, request: () => Buffer): Scenario {
  return callScenario(name, { servers: [server], connections: FULL_LOAD, isAwake: true, request });
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
  return await takeTurns(scenarios, ROUNDS);
}

/** Measures scenarios that are warm. */
export async function takeTurns(scenarios: readonly Scenario[], rounds: number): Promise<Row[]> {
  const samples = scenarios.map((): Sample[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, scenario] of scenarios.entries()) samples[at]?.push(await measureOnce(scenario, DURATION_MS));
  }
  return scenarios.map(({ name }, at) => rowOfSamples(name, samples[at] ?? []));
}
