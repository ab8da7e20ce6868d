// From spawning the process to its first 200, and its memory when it has had nothing to do for five seconds.
import { join } from "node:path";
import { cpuSeconds, residentMb, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { ROUNDS } from "./scenarios.ts";
import { atMost, finding, median, spreadRow } from "./table.ts";
import type { Table } from "./table.ts";

const STARTS = "from spawning to the first 200";
const MEMORY = "resident memory, idle";

export async function benchStart({ folder }: Bench): Promise<Table[]> {
  const starts: number[] = [];
  const costs: number[] = [];
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startReeve(join(folder, "start"));
    starts.push(server.startMs);
    costs.push(cpuSeconds(server.pid) * 1e6);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    sizes.push(residentMb(server.pid));
    await server.stop();
  }
  return [
    {
      title: "Start",
      unit: "ms",
      rows: [{ ...spreadRow(STARTS, starts), cpuUs: median(costs) }],
      findings: [finding(STARTS, median(starts), atMost(600), "ms")],
    },
    {
      title: "Memory",
      unit: "MB",
      rows: [spreadRow(MEMORY, sizes)],
      findings: [finding(MEMORY, median(sizes), atMost(160), "MB")],
    },
  ];
}
