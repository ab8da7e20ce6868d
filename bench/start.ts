// From spawning the process to its first 200, and its memory a moment later.
import { join } from "node:path";
import { residentMb, startReeve } from "./processes.ts";
import type { Bench } from "./processes.ts";
import { ROUNDS } from "./scenarios.ts";
import { median } from "./table.ts";

export async function benchStart({ folder }: Bench): Promise<void> {
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startReeve(join(folder, "start"));
    starts.push(server.startMs);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    sizes.push(residentMb(server.pid));
    await server.stop();
  }
  console.log(`\nStart to first 200: ${median(starts).toFixed(0)} ms   to reach < 400`);
  console.log(`Resident memory, idle: ${median(sizes).toFixed(0)} MB   to reach < 130`);
}
