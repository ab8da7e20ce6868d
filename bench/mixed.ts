// Reads beside writers, with the disk as it is and with a slow one.
import { join } from "node:path";
import { encodeRequest } from "./load.ts";
import { BENCH_TOKEN, buildFsyncShim, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { DURATION_MS, ROUNDS, callScenario } from "./scenarios.ts";
import { figures, printRates, printTable } from "./table.ts";
import type { Sample } from "./table.ts";
import { newTeamRequest } from "./teams.ts";

const READERS = 32;
const WRITERS = 16;

export async function benchMixed({ folder, keep }: Bench): Promise<void> {
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
    await read.measure(DURATION_MS / 2);
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await read.measure(DURATION_MS));
      const [reads, written] = await Promise.all([read.measure(DURATION_MS), write.measure(DURATION_MS)]);
      beside.push(reads);
      writes.push(written);
    }
    const rows = [
      { name: `GET user alone, ${READERS} connections`, ...figures(alone) },
      { name: "GET user beside writers", ...figures(beside) },
      { name: `POST team, ${WRITERS} connections`, ...figures(writes) },
    ];
    printTable(`Reads beside ${WRITERS} writing connections, fsync + ${delayUs / 1000} ms`, rows);
    printRates(rows, "GET/s beside writers / alone", "GET user beside writers", rows[0]?.name ?? "", ">= 0.4");
  }
  if (shim === null) console.log("no C compiler: the run with a delayed fsync was left out");
}
