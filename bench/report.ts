// What a run has found, as Markdown: bench/REPORT.md.
import { markdownTable } from "../src/markdown.ts";
import type { MachineFact } from "./machine.ts";
import { columnsOf, formatCount, formatFinding, formatGoal } from "./print.ts";
import { isReached } from "./table.ts";
import type { Finding, Table } from "./table.ts";

/** A part that was run. */
export interface PartResult {
  readonly name: string;
  readonly seconds: number;
  readonly tables: readonly Table[];
  /** Why there are no tables. */
  readonly failure?: string;
}

const INTRODUCTION = `What Reeve costs beside the least it could, and beside others. One run of \`npm run bench -- --report\` has written this
page, the plots and the figures of [docs/scaling.md](../docs/scaling.md). What is compared takes turns, so ratios hold where
absolute figures do not: those are of this machine, whose cores the client shares. [CONTRIBUTING.md](../CONTRIBUTING.md)
says what the parts measure.

Figures are medians of the rounds (lowest..highest). CPU is what one of the things counted takes of the processes that are
measured, the client not included; DB CPU is that of PostgreSQL beside them. Times are seen by the client, with as many
requests under way as the server can use, so they are times of a server that is full.`;

export function plotName(part: string, title: string): string {
  const words = `${part} ${title}`.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return `${words.join("-")}.svg`;
}

function goalTable(parts: readonly PartResult[]): string {
  const set = parts
    .flatMap(({ tables }) => tables)
    .flatMap(({ title, findings }) => findings.filter(({ goal }) => goal).map((found) => ({ title, found })));
  const reached = set.filter(({ found }) => isReached(found)).length;
  const rows = set.map(({ title, found }) => [title, found.label, formatFinding(found), formatGoal(found)]);
  return `${reached} of ${set.length} are reached.\n\n${markdownTable(["table", "what", "measured", "to reach"], rows)}`;
}

function findingTable(findings: readonly Finding[]): string {
  const hasLosers = findings.some(({ loser }) => loser !== undefined);
  const rows = findings.map((found) => [
    found.label,
    formatFinding(found),
    formatGoal(found),
    ...(hasLosers ? [found.loser ?? ""] : []),
  ]);
  return markdownTable(["", "measured", "to reach", ...(hasLosers ? ["loses"] : [])], rows);
}

function tableSection(part: string, table: Table): string {
  const { title, unit, rows, findings, notes = [] } = table;
  const columns = columnsOf(rows);
  const cells = rows.map((row) => [row.name, formatCount(row), ...columns.map(([, cell]) => cell(row))]);
  const blocks = [
    `### ${title}`,
    `![${title}, ${unit}](plots/${plotName(part, title)})`,
    markdownTable(["", unit, ...columns.map(([head]) => head)], cells),
    ...(findings.length > 0 ? [findingTable(findings)] : []),
    ...notes,
  ];
  return blocks.join("\n\n");
}

function partSection({ name, seconds, tables, failure }: PartResult): string {
  const command = `\`npm run bench -- ${name}\`, ${seconds.toFixed(0)} s.`;
  const blocks = [`## ${name}`, command, ...(failure === undefined ? [] : [`This part failed: ${failure}`])];
  return [...blocks, ...tables.map((table) => tableSection(name, table))].join("\n\n");
}

export function reportPage(facts: readonly MachineFact[], parts: readonly PartResult[]): string {
  const sections = [
    "# Benchmark report",
    INTRODUCTION,
    markdownTable(
      ["", ""],
      facts.map(({ name, value }) => [name, value]),
    ),
    "## Goals",
    goalTable(parts),
    ...parts.map(partSection),
  ];
  return `${sections.join("\n\n")}\n`;
}
