// Medians and tables.
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

export interface Figures {
  readonly perSecond: number;
  readonly lowest: number;
  readonly highest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
}

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

export function printTable(title: string, rows: readonly (Figures & { readonly name: string })[]): void {
  console.log(`\n${title}`);
  console.log(
    `${"".padEnd(34)}${"requests/s".padStart(26)}${"p50 ms".padStart(9)}${"p99 ms".padStart(9)}${"CPU us".padStart(9)}`,
  );
  for (const { name, perSecond, lowest, highest, p50Ms, p99Ms, cpuUs } of rows) {
    const rate = `${perSecond.toFixed(0)} (${lowest.toFixed(0)}..${highest.toFixed(0)})`;
    console.log(
      `${name.padEnd(34)}${rate.padStart(26)}${p50Ms.toFixed(2).padStart(9)}${p99Ms.toFixed(2).padStart(9)}${cpuUs.toFixed(0).padStart(9)}`,
    );
  }
}
