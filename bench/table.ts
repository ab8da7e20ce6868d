// Medians, tables and the ratios between their rows.
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

interface Figures {
  readonly perSecond: number;
  readonly lowest: number;
  readonly highest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

export type Row = Figures & { readonly name: string };

const NAME_WIDTH = 38;
const LABEL_WIDTH = 58;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function figures(samples: readonly Sample[]): Figures {
  const rates = samples.map((sample) => sample.perSecond);
  return {
    perSecond: median(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    cpuUs: median(samples.map((sample) => sample.cpuUs)),
  };
}

/** What was not measured is NaN. */
function formatTime(value: number, digits: number): string {
  return (Number.isNaN(value) ? "-" : value.toFixed(digits)).padStart(9);
}

export function printTable(title: string, rows: readonly Row[], unit = "requests/s"): void {
  console.log(`\n${title}`);
  console.log(
    `${"".padEnd(NAME_WIDTH)}${unit.padStart(26)}${"p50 ms".padStart(9)}${"p99 ms".padStart(9)}${"CPU us".padStart(9)}`,
  );
  for (const { name, perSecond, lowest, highest, p50Ms, p99Ms, cpuUs } of rows) {
    const rate = `${perSecond.toFixed(0)} (${lowest.toFixed(0)}..${highest.toFixed(0)})`;
    const times = formatTime(p50Ms, 2) + formatTime(p99Ms, 2) + formatTime(cpuUs, 1);
    console.log(`${name.padEnd(NAME_WIDTH)}${rate.padStart(26)}${times}`);
  }
}

/** A row of a table that was measured. */
export function rowOf(rows: readonly Row[], name: string): Row {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`no row ${name}`);
  return row;
}

/** One or more ratios with what they are to reach, where that was set. */
export function printRatio(label: string, ratios: readonly number[], goal?: string): void {
  const values = ratios.map((ratio) => ratio.toFixed(2).padStart(7)).join("");
  console.log(label.padEnd(LABEL_WIDTH) + values + (goal === undefined ? "" : `   to reach ${goal}`));
}

/** Requests per second of one row beside those of another. */
export function printRates(rows: readonly Row[], label: string, of: string, beside: string, goal?: string): void {
  printRatio(label, [rowOf(rows, of).perSecond / rowOf(rows, beside).perSecond], goal);
}

/** What a call takes in a large store beside a small one: the time until half are answered, and CPU. */
export function printGrowth(rows: readonly Row[], label: string, large: string, small: string, goal?: string): void {
  const [most, least] = [rowOf(rows, large), rowOf(rows, small)];
  printRatio(`${label}, p50 and CPU`, [most.p50Ms / least.p50Ms, most.cpuUs / least.cpuUs], goal);
}
