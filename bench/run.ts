// `npm run bench`: what Reeve's calls cost beside raw node:http answering the same bytes, interleaved in one run,
// medians of the rounds. Ratios hold on a noisy machine; absolute figures do not. `npm run bench -- secrets` runs one
// part alone; BENCH_ROUNDS and BENCH_MS say how long. `--report` writes bench/REPORT.md from what was run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchEngines } from "./engines.ts";
import { benchEvents } from "./events.ts";
import { benchFirewall } from "./firewall.ts";
import { benchFirewallReads } from "./firewall-reads.ts";
import { describeLoad, describeMachine } from "./machine.ts";
import { benchMixed } from "./mixed.ts";
import { benchPeers } from "./peers.ts";
import { printTable } from "./print.ts";
import type { Bench } from "./processes.ts";
import { publishReport } from "./publish.ts";
import type { PartResult } from "./report.ts";
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
  ["engines", benchEngines],
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

/** A part that fails does not keep the others from being measured. */
async function measurePart(name: string, part: Part): Promise<PartResult> {
  const startedAt = performance.now();
  const secondsSince = () => (performance.now() - startedAt) / 1_000;
  try {
    const tables = await runPart(part);
    for (const table of tables) printTable(table);
    return { name, seconds: secondsSince(), tables };
  } catch (error) {
    console.error(`\n${name} failed:`, error);
    return { name, seconds: secondsSince(), tables: [], failure: (error as Error).message };
  }
}

const { values, positionals: names } = parseArgs({ options: { report: { type: "boolean" } }, allowPositionals: true });
for (const name of names) {
  if (!PARTS.has(name)) throw new Error(`no part ${name}: expected ${[...PARTS.keys()].join(", ")}`);
}
// What is measured is what people install.
execFileSync(process.execPath, [`${import.meta.dirname}/../build.ts`], { stdio: "inherit" });
const facts = describeMachine();
for (const { name, value } of facts) console.log(`${name.padEnd(20)} ${value}`);
const startedAt = performance.now();
const results: PartResult[] = [];
for (const [name, part] of PARTS) {
  if (names.length === 0 || names.includes(name)) results.push(await measurePart(name, part));
}
const minutes = `${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes`;
console.log(`\n${minutes}`);
if (values.report === true) {
  const ending = [
    { name: "load average after", value: describeLoad() },
    { name: "took", value: minutes },
  ];
  publishReport([...facts, ...ending], results);
}
process.exitCode = results.every(({ failure }) => failure === undefined) ? 0 : 1;
