// Reads beside writers, with the disk as it is and with a slow one.
import { join } from "node:path";
import { encodeRequest } from "./load.ts";
import { BENCH_TOKEN, buildFsyncShim, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { DURATION_MS, ROUNDS, callScenario, warmUp } from "./scenarios.ts";
import { atLeast, rateFinding, rowOfSamples } from "./table.ts";
import type { Sample, Table } from "./table.ts";
import { newTeamRequest } from "./teams.ts";

const READERS = 32;
const WRITERS = 16;
const ALONE = `GET user alone, ${READERS} connections`;

/** Each has counted the whole server's CPU for its own requests. */
function sharedCpuUs(one: Sample, other: Sample): number {
  return 1 / (1 / one.cpuUs + 1 / other.cpuUs);
}

export async function benchMixed({ folder, keep }: Bench): Promise<Table[]> {
  const tables: Table[] = [];
  const shim = buildFsyncShim(folder);
  for (const delayUs of shim === null ? [0] : [0, 5_000]) {
    const environment: Record<string, string> =
      delayUs === 0 || shim === null ? {} : { LD_PRELOAD: shim, FSYNC_DELAY_US: String(delayUs) };
    const server = await keep(startReeve(join(folder, `mixed-${delayUs}`), environment));
    const bytes = encodeRequest({ method: "GET", path: "/v2/user" }, BENCH_TOKEN);
    const load = { server, isAwake: false };
    const read = callScenario("GET user", { ...load, connections: READERS, request: () => bytes });
    const write = callScenario("POST team", {
      ...load,
      connections: WRITERS,
      request: () => newTeamRequest(BENCH_TOKEN),
    });
    const alone: Sample[] = [];
    const beside: Sample[] = [];
    const writes: Sample[] = [];
    await warmUp(read);
    await warmUp(write);
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await read.measure(DURATION_MS));
      const [reads, written] = await Promise.all([read.measure(DURATION_MS), write.measure(DURATION_MS)]);
      const cpuUs = sharedCpuUs(reads, written);
      beside.push({ ...reads, cpuUs });
      writes.push({ ...written, cpuUs });
    }
    const rows = [
      rowOfSamples(ALONE, alone),
      rowOfSamples("GET user beside writers", beside),
      rowOfSamples(`POST team, ${WRITERS} connections`, writes),
    ];
    tables.push({
      title: `Reads beside ${WRITERS} writing connections, fsync + ${delayUs / 1000} ms`,
      unit: "requests/s",
      rows,
      findings: [rateFinding(rows, "GET/s beside writers / alone", "GET user beside writers", ALONE, atLeast(0.4))],
      notes: [
        "Beside each other, CPU is that of one request of either kind.",
        ...(shim === null ? ["No C compiler: the run with a delayed fsync was left out."] : []),
      ],
    });
  }
  return tables;
}
