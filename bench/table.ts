// What a part of the benchmark has measured, as data: tables of rows, and the findings that are drawn from them.
export interface Sample {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuUs: number;
  readonly databaseCpuUs?: number;
}

/** What was not measured is NaN. */
export interface Row {
  readonly name: string;
  /** Of the rounds, in the table's unit. */
  readonly median: number;
  readonly lowest: number;
  readonly highest: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of the measured processes for one of what is counted. */
  readonly cpuUs: number;
  /** Beside it, of a database server. */
  readonly databaseCpuUs: number;
}

export interface Goal {
  readonly bound: ">=" | "<=";
  readonly value: number;
}

/** CPU of the database server for one of what is counted, and the most that it may be. */
export interface DatabaseShare {
  readonly value: number;
  readonly atMost: number;
}

/** A figure that is drawn from rows, and what it is to reach, where that was set. */
export interface Finding {
  readonly label: string;
  readonly value: number;
  /** None of a ratio. */
  readonly unit?: string;
  readonly goal?: Goal;
  /** Of CPU that two servers take: the goal is reached when both keep to their part of it. */
  readonly database?: DatabaseShare;
  /** Of a ratio of times: the time itself, and at most how long it may be for the goal to be reached whatever the ratio is. */
  readonly time?: { readonly ms: number; readonly atMost: number };
  /** Of two rows that are compared, the one that is faster. */
  readonly faster?: string;
  /** It sets a large store beside a small one. */
  readonly isGrowth?: true;
}

export interface Table {
  readonly title: string;
  readonly unit: string;
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
  /** What has to be known to read it. */
  readonly notes?: readonly string[];
}

export function atLeast(value: number): Goal {
  return { bound: ">=", value };
}

export function atMost(value: number): Goal {
  return { bound: "<=", value };
}

/** Whether the goal is reached; undefined where none was set or nothing was measured. */
export function isReached({ value, goal, database, time }: Finding): boolean | undefined {
  if (!goal || Number.isNaN(value) || Number.isNaN(database?.value)) return undefined;
  const isWithin = goal.bound === ">=" ? value >= goal.value : value <= goal.value;
  if (time && time.ms <= time.atMost) return true;
  return isWithin && (!database || database.value <= database.atMost);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The median of values that have no times of their own, and how far they spread. */
export function spreadRow(name: string, values: readonly number[]): Row {
  return {
    name,
    median: median(values),
    lowest: Math.min(...values),
    highest: Math.max(...values),
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
    cpuUs: Number.NaN,
    databaseCpuUs: Number.NaN,
  };
}

export function rowOfSamples(name: string, samples: readonly Sample[]): Row {
  return {
    ...spreadRow(
      name,
      samples.map(({ perSecond }) => perSecond),
    ),
    p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(samples.map(({ p99Ms }) => p99Ms)),
    cpuUs: median(samples.map(({ cpuUs }) => cpuUs)),
    databaseCpuUs: median(samples.map(({ databaseCpuUs = Number.NaN }) => databaseCpuUs)),
  };
}

/** A row of a table that was measured. */
export function rowOf(rows: readonly Row[], name: string): Row {
  const row = rows.find((one) => one.name === name);
  if (!row) throw new Error(`no row ${name}`);
  return row;
}

export function finding(label: string, value: number, goal?: Goal, unit?: string): Finding {
  return { label, value, ...(goal && { goal }), ...(unit !== undefined && { unit }) };
}

/** How fast one row is beside another. */
export function rateFinding(rows: readonly Row[], label: string, of: string, beside: string, goal?: Goal): Finding {
  const ratio = rowOf(rows, of).median / rowOf(rows, beside).median;
  return { ...finding(label, ratio, goal), ...(!Number.isNaN(ratio) && { faster: ratio >= 1 ? of : beside }) };
}

/** What one of what is counted takes of our CPU and of the database server's, each with its bound in us. */
export function cpuFinding(rows: readonly Row[], name: string, ours: number, database: number): Finding {
  const { cpuUs, databaseCpuUs } = rowOf(rows, name);
  const found = finding(`${name}: CPU of Reeve + of the database`, cpuUs, atMost(ours), "us");
  return { ...found, database: { value: databaseCpuUs, atMost: database } };
}

/** How long a call takes in a large store beside a small one, the median: at most so many times as long, or so many ms. */
export function latencyFinding(
  rows: readonly Row[],
  label: string,
  large: string,
  small: string,
  most: number,
  mostMs: number,
): Finding {
  const [ms, least] = [rowOf(rows, large).p50Ms, rowOf(rows, small).p50Ms];
  return { ...finding(label, ms / least, atMost(most)), time: { ms, atMost: mostMs } };
}

/** What a call takes in a large store beside a small one: the time until half are answered, and CPU, which has the goal. */
export function growthFindings(
  rows: readonly Row[],
  label: string,
  large: string,
  small: string,
  goal?: Goal,
): Finding[] {
  const [most, least] = [rowOf(rows, large), rowOf(rows, small)];
  return [
    { ...finding(`${label}, p50`, most.p50Ms / least.p50Ms), isGrowth: true },
    { ...finding(`${label}, CPU`, most.cpuUs / least.cpuUs, goal), isGrowth: true },
  ];
}
