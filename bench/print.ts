// Tables and findings on the terminal.
import { isReached } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";

const NAME_WIDTH = 38;
const LABEL_WIDTH = 62;
const FEW = 10;

/** A figure as it is read: digits behind the point only where there are few before it. */
export function formatFigure(value: number): string {
  if (Number.isNaN(value)) return "-";
  return value.toFixed(Math.abs(value) < FEW ? 2 : 0);
}

export function formatCount({ median, lowest, highest }: Row): string {
  return `${formatFigure(median)} (${formatFigure(lowest)}..${formatFigure(highest)})`;
}

/** What was not measured is a dash. */
function formatTime(value: number, digits: number): string {
  return Number.isNaN(value) ? "-" : value.toFixed(digits);
}

type Column = readonly [head: string, cell: (row: Row) => string];

/** What a table shows of its rows beside their names and medians. */
export function columnsOf(rows: readonly Row[]): readonly Column[] {
  const hasDatabase = rows.some(({ databaseCpuUs }) => !Number.isNaN(databaseCpuUs));
  return [
    ["p50 ms", ({ p50Ms }) => formatTime(p50Ms, 2)],
    ["p99 ms", ({ p99Ms }) => formatTime(p99Ms, 2)],
    ["CPU us", ({ cpuUs }) => formatTime(cpuUs, 1)],
    ...(hasDatabase ? [["DB CPU us", ({ databaseCpuUs }) => formatTime(databaseCpuUs, 1)] satisfies Column] : []),
  ];
}

export function formatFinding({ value, unit }: Finding): string {
  return `${Number.isNaN(value) ? "-" : value.toFixed(2)}${unit === undefined ? "" : ` ${unit}`}`;
}

/** What is to be reached, and whether it was. */
export function formatGoal(found: Finding): string {
  if (!found.goal) return "";
  const reached = isReached(found);
  const verdict = reached === undefined ? "not measured" : reached ? "reached" : "MISSED";
  return `${found.goal.bound} ${found.goal.value}: ${verdict}`;
}

export function printTable({ title, unit, rows, findings, notes = [] }: Table): void {
  console.log(`\n${title}`);
  const columns = columnsOf(rows);
  const line = (name: string, count: string, cells: readonly string[]) =>
    console.log(name.padEnd(NAME_WIDTH) + count.padStart(26) + cells.map((cell) => cell.padStart(10)).join(""));
  line(
    "",
    unit,
    columns.map(([head]) => head),
  );
  for (const row of rows) {
    line(
      row.name,
      formatCount(row),
      columns.map(([, cell]) => cell(row)),
    );
  }
  if (findings.length > 0) console.log();
  for (const found of findings) {
    const loser = found.loser === undefined ? "" : `   ${found.loser} loses`;
    const goal = found.goal ? `   ${formatGoal(found)}` : "";
    console.log(`${found.label.padEnd(LABEL_WIDTH)}${formatFinding(found).padStart(10)}${goal}${loser}`);
  }
  for (const note of notes) console.log(note);
}
