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

/** Of a time; what was not measured is a dash. */
export function formatTime(value: number, digits: number): string {
  return Number.isNaN(value) ? "-" : value.toFixed(digits);
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
  const titles = [unit.padStart(26), "p50 ms".padStart(9), "p99 ms".padStart(9), "CPU us".padStart(9)];
  console.log("".padEnd(NAME_WIDTH) + titles.join(""));
  for (const row of rows) {
    const times = [formatTime(row.p50Ms, 2), formatTime(row.p99Ms, 2), formatTime(row.cpuUs, 1)];
    const cells = times.map((time) => time.padStart(9)).join("");
    console.log(`${row.name.padEnd(NAME_WIDTH)}${formatCount(row).padStart(26)}${cells}`);
  }
  if (findings.length > 0) console.log();
  for (const found of findings) {
    const loser = found.loser === undefined ? "" : `   ${found.loser} loses`;
    const goal = found.goal ? `   ${formatGoal(found)}` : "";
    console.log(`${found.label.padEnd(LABEL_WIDTH)}${formatFinding(found).padStart(10)}${goal}${loser}`);
  }
  for (const note of notes) console.log(note);
}
