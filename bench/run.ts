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
import type { Bench } from "./processes.ts";
import { DURATION_MS, ROUNDS } from "./scenarios.ts";
import { benchSecrets } from "./secrets.ts";
import { benchStart } from "./start.ts";
import { benchTeams } from "./teams.ts";
import { benchWebhooks } from "./webhooks.ts";

const PARTS: ReadonlyMap<string, (bench: Bench) => Promise<void>> = new Map([
  ["start", benchStart],
  ["teams", benchTeams],
  ["mixed", benchMixed],
  ["secrets", benchSecrets],
  ["firewall", benchFirewall],
  ["firewall-reads", benchFirewallReads],
  ["webhooks", benchWebhooks],
  ["events", benchEvents],
]);

/** The parts that were asked for; all when none was. */
function chosenParts(names: readonly string[]): readonly ((bench: Bench) => Promise<void>)[] {
  if (names.length === 0) return [...PARTS.values()];
  return names.map((name) => {
    const part = PARTS.get(name);
    if (!part) throw new Error(`no part ${name}: expected ${[...PARTS.keys()].join(", ")}`);
    return part;
  });
}

const parts = chosenParts(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), "reeve-bench-"));
const stops: (() => Promise<void>)[] = [];
try {
  console.log(
    `Node ${process.version}, ${cpus().length} cores, ${ROUNDS} rounds of ${DURATION_MS} ms, medians (lowest..highest)`,
  );
  for (const part of parts) {
    await part({
      folder,
      async keep(starting) {
        const server = await starting;
        stops.push(server.stop);
        return server;
      },
    });
    // An idle server still wakes up now and then: each part has the machine to itself.
    for (const stop of stops.splice(0)) await stop();
  }
} finally {
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
}
