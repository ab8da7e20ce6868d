// Writes what a run has found: the report with its plots, the costs, and the figures of docs/scaling.md.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { costsOf } from "./costs.ts";
import type { MachineFact } from "./machine.ts";
import { plotTable } from "./plot.ts";
import { plotName, reportPage } from "./report.ts";
import type { PartResult } from "./report.ts";
import { fillScalingPage } from "./scaling.ts";

const HERE = import.meta.dirname;
const PLOTS = join(HERE, "plots");
const SCALING_PAGE = join(HERE, "../docs/scaling.md");

export function publishReport(facts: readonly MachineFact[], parts: readonly PartResult[]): void {
  writeFileSync(join(HERE, "REPORT.md"), reportPage(facts, parts));
  rmSync(PLOTS, { recursive: true, force: true });
  mkdirSync(PLOTS);
  for (const { name, tables } of parts) {
    for (const table of tables) writeFileSync(join(PLOTS, plotName(name, table.title)), plotTable(table));
  }
  console.log("\nwrote bench/REPORT.md and bench/plots");
  const costs = costsOf(
    facts,
    parts.flatMap(({ tables }) => tables),
  );
  if (!costs) {
    console.log("bench/costs.json and docs/scaling.md stay as they were: a part that they need was not measured");
    return;
  }
  writeFileSync(join(HERE, "costs.json"), `${JSON.stringify(costs, null, 2)}\n`);
  writeFileSync(SCALING_PAGE, fillScalingPage(readFileSync(SCALING_PAGE, "utf8"), costs));
  console.log("wrote bench/costs.json and docs/scaling.md");
}
