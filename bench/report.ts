// What a run has found, as Markdown: bench/REPORT.md.
import { markdownTable } from "../src/markdown.ts";
import type { MachineFact } from "./machine.ts";
import { isReached } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

/** A part that was run. */
export interface PartResult {
  readonly name: string;
  readonly seconds: number;
  readonly tables: readonly Table[];
  /** Why there are no tables. */
  readonly failure?: string;
}

const INTRODUCTION = `What Reeve costs beside the least it could. One run of \`npm run bench -- --report\` writes this page and the figures of
[docs/scaling.md](../docs/scaling.md). What is compared takes turns, so ratios hold where absolute figures do not: those are
of this machine, whose cores the client shares. [CONTRIBUTING.md](../CONTRIBUTING.md) says what the parts measure.

Figures are medians of the rounds (lowest..highest). CPU is what one of the things counted takes of the processes that are
measured, the client not included; DB CPU is that of PostgreSQL beside them. Times are seen by the client, with as many
requests in flight as the server can use, so they are times of a server that is full.`;

const FEW = 10;

/** A figure as it is read: digits behind the point only where there are few before it. */
function formatFigure(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value.toFixed(Math.abs(value) < FEW ? 2 : 0);
}

function formatCount({ median, lowest, highest }: Row): string {
  return `${formatFigure(median)} (${formatFigure(lowest)}..${formatFigure(highest)})`;
}

/** What was not measured is a dash. */
function formatTime(value: number, digits: number): string {
  return Number.isNaN(value) ? "-" : value.toFixed(digits);
}

type Column = readonly [head: string, cell: (row: Row) => string];

/** What a table shows of its rows beside their names and medians. */
function columnsOf(rows: readonly Row[]): readonly Column[] {
  const hasDatabase = rows.some(({ databaseCpuUs }) => !Number.isNaN(databaseCpuUs));
  return [
    ["p50 ms", ({ p50Ms }) => formatTime(p50Ms, 2)],
    ["p99 ms", ({ p99Ms }) => formatTime(p99Ms, 2)],
    ["CPU us", ({ cpuUs }) => formatTime(cpuUs, 1)],
    ...(hasDatabase ? [["DB CPU us", ({ databaseCpuUs }) => formatTime(databaseCpuUs, 1)] satisfies Column] : []),
  ];
}

function formatFinding({ value, unit }: Finding): string {
  return `${Number.isNaN(value) ? "-" : value.toFixed(2)}${unit === undefined ? "" : ` ${unit}`}`;
}

/** What is to be reached, and whether it was. */
function formatGoal(found: Finding): string {
  if (!found.goal) return "";
  const reached = isReached(found);
  const outcome = reached === undefined ? "not measured" : reached ? "reached" : "MISSED";
  return `${found.goal.bound} ${found.goal.value}: ${outcome}`;
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
  const rows = findings.map((found) => [found.label, formatFinding(found), formatGoal(found)]);
  return markdownTable(["", "measured", "to reach"], rows);
}

export function tableSection(table: Table): string {
  const { title, unit, rows, findings, notes = [] } = table;
  const columns = columnsOf(rows);
  const cells = rows.map((row) => [row.name, formatCount(row), ...columns.map(([, cell]) => cell(row))]);
  const blocks = [
    `### ${title}`,
    markdownTable(["", unit, ...columns.map(([head]) => head)], cells),
    ...(findings.length > 0 ? [findingTable(findings)] : []),
    ...notes,
  ];
  return blocks.join("\n\n");
}

function partSection({ name, seconds, tables, failure }: PartResult): string {
  const command = `\`npm run bench -- ${name}\`, ${seconds.toFixed(0)} s.`;
  const blocks = [`## ${name}`, command, ...(failure === undefined ? [] : [`This part failed: ${failure}`])];
  return [...blocks, ...tables.map(tableSection)].join("\n\n");
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
