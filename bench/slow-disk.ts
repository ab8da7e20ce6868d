// Reads beside writers while each fsync takes 5 ms longer.
import { join } from "node:path";
import { CREATE_TEAM, GET_TEAM, SQLITE, ownersScenario, seedOwners, seedStart } from "./calls.ts";
import { buildFsyncShim, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { DURATION_MS, ROUNDS, warmUp } from "./scenarios.ts";
import { seedStore } from "./seed.ts";
import { atLeast, rateFinding, rowOfSamples } from "./table.ts";
import type { Sample, Table } from "./table.ts";

const DELAY_MS = 5;
const READERS = 32;
const WRITERS = 16;
const ALONE = `${GET_TEAM} alone, ${READERS} connections`;
const BESIDE = `${GET_TEAM} beside writers`;
const WRITTEN = `${CREATE_TEAM}, ${WRITERS} connections`;

/** Each has counted the whole server's CPU for its own requests. */
function sharedCpuUs(one: Sample, other: Sample): number {
  return 1 / (1 / one.cpuUs + 1 / other.cpuUs);
}

/** No tables where there is no C compiler. */
export async function benchSlowDisk({ folder, keep }: Bench): Promise<Table[]> {
  const shim = buildFsyncShim(folder);
  if (shim === null) return [];
  const dataDir = join(folder, "slow-disk");
  const start = seedStart();
  const owners = await seedStore(dataDir, start, (tx, keyring) => seedOwners(tx, keyring, start));
  const environment = { LD_PRELOAD: shim, FSYNC_DELAY_US: String(DELAY_MS * 1_000) };
  const field = { name: SQLITE, server: await keep(startReeve(dataDir, environment)), owners };
  const read = ownersScenario(GET_TEAM, field, { connections: READERS });
  const write = ownersScenario(CREATE_TEAM, field, { connections: WRITERS });
  const [alone, beside, written]: [Sample[], Sample[], Sample[]] = [[], [], []];
  await warmUp(read);
  await warmUp(write);
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await read.measure(DURATION_MS));
    const [reads, writes] = await Promise.all([read.measure(DURATION_MS), write.measure(DURATION_MS)]);
    const cpuUs = sharedCpuUs(reads, writes);
    beside.push({ ...reads, cpuUs });
    written.push({ ...writes, cpuUs });
  }
  const rows = [rowOfSamples(ALONE, alone), rowOfSamples(BESIDE, beside), rowOfSamples(WRITTEN, written)];
  return [
    {
      title: `Reads beside ${WRITERS} writing connections, each fsync ${DELAY_MS} ms longer`,
      unit: "requests/s",
      rows,
      findings: [rateFinding(rows, `${GET_TEAM}: beside writers / alone`, BESIDE, ALONE, atLeast(0.4))],
      notes: [
        "Alone, the responses are cached; each team that is created empties the cache. Beside each other, CPU is that of one request of " +
          "either kind.",
      ],
    },
  ];
}
