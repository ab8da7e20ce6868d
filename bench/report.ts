// What a run has found, as Markdown: bench/REPORT.md. Its first page has the goals and what matters most; the rest is an appendix.
import { markdownTable } from "../tools/markdown.ts";
import type { MachineFact } from "./machine.ts";
import { isReached } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

/** A part that was run. */
export interface PartResult {
  readonly name: string;
  readonly seconds: number;
  /** Whether its tables are on the first page. */
  readonly isLeading: boolean;
  readonly tables: readonly Table[];
  /** Why there are no tables. */
  readonly failure?: string;
}

const INTRODUCTION = `What Reeve costs beside the least it could. First, with changes among the reads and with nothing cached, as an instance is used.
What is compared takes turns in one run, so ratios hold where absolute figures do not: those are of this machine, whose cores the
client shares.`;

const READING = `Figures are medians of the rounds (lowest..highest). CPU is what one of the things counted takes of the processes that are
measured, the client not included; DB CPU is that of PostgreSQL beside them. Times are seen by the client, with as many
requests in flight as the server can use, so they are times of a server that is full. Of two rows that are compared, the
faster one is named.`;

const APPENDIX = `One run of \`npm run bench -- --report\` writes this page and the figures of [docs/scaling.md](../docs/scaling.md).
[CONTRIBUTING.md](../CONTRIBUTING.md) says what the parts measure. No request is repeated before others have had their turn. Cached
responses, the same requests over and over while nobody changes anything, are the last table.`;

/** On the first page. */
const MOST_GOALS = 25;
/** Facts that the first page has too. */
const SUMMARIZED: ReadonlySet<string> = new Set(["date", "machine", "Reeve", "Node"]);

const FEW = 10;
const MANY = 100;

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

function formatValue(value: number): string {
  return formatTime(value, Math.abs(value) < MANY ? 2 : 0);
}

function formatFinding({ value, database, time, unit }: Finding): string {
  if (time) return `${formatValue(value)} (${formatValue(time.ms)} ms)`;
  const beside = database ? ` + ${formatValue(database.value)}` : "";
  return `${formatValue(value)}${beside}${unit === undefined ? "" : ` ${unit}`}`;
}

/** What is to be reached, and whether it was. */
function formatGoal(found: Finding): string {
  if (!found.goal) return "";
  const reached = isReached(found);
  const outcome = reached === undefined ? "not measured" : reached ? "reached" : "MISSED";
  const beside = found.database ? ` + ${found.database.atMost}` : found.time ? ` or ${found.time.atMost} ms` : "";
  return `${found.goal.bound} ${found.goal.value}${beside}: ${outcome}`;
}

interface SetGoal {
  readonly part: string;
  readonly found: Finding;
}

function countReached(goals: readonly SetGoal[]): string {
  return `${goals.filter(({ found }) => isReached(found)).length} of ${goals.length}`;
}

/** The goals of the first page, and what became of the others. */
function goalSection(parts: readonly PartResult[]): string {
  const goals = parts.flatMap(({ name, tables }) =>
    tables.flatMap(({ findings }) => findings.filter(({ goal }) => goal).map((found) => ({ part: name, found }))),
  );
  const [shown, others] = [goals.slice(0, MOST_GOALS), goals.slice(MOST_GOALS)];
  const rows = shown.map(({ part, found }) => [part, found.label, formatFinding(found), formatGoal(found)]);
  const missed = others
    .filter(({ found }) => !isReached(found))
    .map(({ part, found }) => `${part}: ${found.label}, ${formatFinding(found)} (${formatGoal(found)})`);
  const failed = parts.filter(({ failure }) => failure !== undefined).map(({ name }) => `The part ${name} failed.`);
  return [
    `${countReached(shown)} are reached.`,
    markdownTable(["part", "what", "measured", "to reach"], rows),
    ...(others.length > 0 ? [`Of the others, in the appendix, ${countReached(others)} are reached.`] : []),
    ...missed.map((text) => `- ${text}`),
    ...failed,
  ].join("\n\n");
}

function findingTable(findings: readonly Finding[]): string {
  const hasFaster = findings.some(({ faster }) => faster !== undefined);
  const rows = findings.map((found) => [
    found.label,
    formatFinding(found),
    ...(hasFaster ? [found.faster ?? ""] : []),
    formatGoal(found),
  ]);
  return markdownTable(["", "measured", ...(hasFaster ? ["faster"] : []), "to reach"], rows);
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

function summarize(facts: readonly MachineFact[]): string {
  return facts
    .filter(({ name }) => SUMMARIZED.has(name))
    .map(({ value }) => value)
    .join("; ");
}

export function reportPage(facts: readonly MachineFact[], parts: readonly PartResult[]): string {
  const factTable = markdownTable(
    ["", ""],
    facts.map(({ name, value }) => [name, value]),
  );
  const sections = [
    "# Benchmark report",
    INTRODUCTION,
    `${summarize(facts)}.`,
    "## Goals",
    goalSection(parts),
    READING,
    ...parts.filter(({ isLeading }) => isLeading).map(partSection),
    "# Appendix",
    APPENDIX,
    factTable,
    ...parts.filter(({ isLeading }) => !isLeading).map(partSection),
  ];
  return `${sections.join("\n\n")}\n`;
}
