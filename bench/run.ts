// `npm run bench`: what Reeve's calls cost beside raw node:http answering the same bytes, interleaved in one run,
// medians of the rounds. Ratios hold on a noisy machine; absolute figures do not. `npm run bench -- secrets` runs one
// part alone; BENCH_ROUNDS and BENCH_MS say how long.
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { benchEvents } from "./events.ts";
import { benchFirewall } from "./firewall.ts";
import { benchFirewallReads } from "./firewall-reads.ts";
import { benchMixed } from "./mixed.ts";
import { benchPeers } from "./peers.ts";
import { printTable } from "./print.ts";
import type { Bench } from "./processes.ts";
import { DURATION_MS, ROUNDS } from "./scenarios.ts";
import { benchSecrets } from "./secrets.ts";
import { benchStart } from "./start.ts";
import type { Table } from "./table.ts";
import { benchTeams } from "./teams.ts";
import { benchWebhooks } from "./webhooks.ts";

type Part = (bench: Bench) => Promise<Table[]>;

const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["start", benchStart],
  ["teams", benchTeams],
  ["peers", benchPeers],
  ["mixed", benchMixed],
  ["secrets", benchSecrets],
  ["firewall", benchFirewall],
  ["firewall-reads", benchFirewallReads],
  ["webhooks", benchWebhooks],
  ["events", benchEvents],
]);

/** Runs a part in a folder of its own, and stops what it has started, however it ends. */
async function runPart(part: Part): Promise<Table[]> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const stops: (() => Promise<void>)[] = [];
  try {
    return await part({
      folder,
      async keep(starting) {
        const server = await starting;
        stops.push(server.stop);
        return server;
      },
    });
  } finally {
    // An idle server still wakes up now and then: each part has the machine to itself.
    for (const stop of stops) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = process.argv.slice(2);
for (const name of names) {
  if (!PARTS.has(name)) throw new Error(`no part ${name}: expected ${[...PARTS.keys()].join(", ")}`);
}
console.log(
  `Node ${process.version}, ${cpus().length} cores, ${ROUNDS} rounds of ${DURATION_MS} ms, medians (lowest..highest)`,
);
for (const [name, part] of PARTS) {
  if (names.length > 0 && !names.includes(name)) continue;
  for (const table of await runPart(part)) printTable(table);
}
