// `npm run bench`: what Reeve's calls cost beside the least they could, interleaved in one run, medians of the rounds.
// Ratios hold on a noisy machine; absolute figures do not. `npm run bench -- mix` runs one part alone; BENCH_ROUNDS and BENCH_MS say how long. `--report` writes bench/REPORT.md from what was run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchCommandLine } from "./command-line.ts";
import { costsOf } from "./costs.ts";
import { benchConsole } from "./console.ts";
import { benchDistance } from "./distance.ts";
import { benchEngines } from "./engines.ts";
import { benchEvents } from "./events.ts";
import { benchGate } from "./gate/gate.ts";
import { benchGrowth } from "./growth.ts";
import { describeLoad, describeMachine } from "./machine.ts";
import type { MachineFact } from "./machine.ts";
import { benchMix } from "./mix.ts";
import type { Bench } from "./processes.ts";
import { benchRepeated } from "./repeated.ts";
import { reportPage, tableSection } from "./report.ts";
import type { PartResult } from "./report.ts";
import { fillScalingPage } from "./scaling.ts";
import { benchSlowDisk } from "./slow-disk.ts";
import { benchStart } from "./start.ts";
import type { Table } from "./table.ts";
import { benchUncached } from "./uncached.ts";
import { benchValues } from "./values.ts";
import { benchWebhooks } from "./webhooks.ts";

type Part = (bench: Bench) => Promise<Table[]>;

/** In the order of the report. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ["mix", benchMix],
  ["uncached", benchUncached],
  ["engines", benchEngines],
  ["values", benchValues],
  ["growth", benchGrowth],
  ["webhooks", benchWebhooks],
  ["gate", benchGate],
  ["start", benchStart],
  ["command-line", benchCommandLine],
  ["console", benchConsole],
  ["events", benchEvents],
  ["slow-disk", benchSlowDisk],
  ["repeated", benchRepeated],
  ["distance", benchDistance],
]);
/** What is on the first page of the report. */
const LEADING: ReadonlySet<string> = new Set(["mix", "uncached"]);

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
  const result = (tables: readonly Table[]) => ({
    name,
    seconds: (performance.now() - startedAt) / 1_000,
    isLeading: LEADING.has(name),
    tables,
  });
  try {
    const tables = await runPart(part);
    for (const table of tables) console.log(`\n${tableSection(table)}`);
    return result(tables);
  } catch (error) {
    console.error(`\n${name} failed:`, error);
    return { ...result([]), failure: (error as Error).message };
  }
}

const SCALING_PAGE = join(import.meta.dirname, "../docs/scaling.md");

function publishReport(facts: readonly MachineFact[], parts: readonly PartResult[]): void {
  writeFileSync(join(import.meta.dirname, "REPORT.md"), reportPage(facts, parts));
  console.log("\nwrote bench/REPORT.md");
  const costs = costsOf(
    facts,
    parts.flatMap(({ tables }) => tables),
  );
  if (!costs) {
    console.log("bench/costs.json and docs/scaling.md stay as they were: a part that they need was not measured");
    return;
  }
  writeFileSync(join(import.meta.dirname, "costs.json"), `${JSON.stringify(costs, null, 2)}\n`);
  writeFileSync(SCALING_PAGE, fillScalingPage(readFileSync(SCALING_PAGE, "utf8"), costs));
  console.log("wrote bench/costs.json and docs/scaling.md");
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
