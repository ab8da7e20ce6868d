// What the forecast and docs/scaling.md take from a run: bench/costs.json, drawn from its tables.
import { CACHED, CALLS, DELIVERED, GET_USER, ONE_OWNER, POSTGRES, SQLITE, callRow } from "./calls.ts";
import { STORED_EVENT } from "./events.ts";
import type { Cost, EngineCosts, MeasuredCosts } from "./forecast.ts";
import type { MachineFact } from "./machine.ts";
import { rowOf } from "./table.ts";
import type { Finding, Row, Table } from "./table.ts";
import { SINCE_COMMIT } from "./webhooks.ts";

interface EngineFigures {
  readonly perSecond: number;
  readonly p50Ms: number | null;
  readonly cpuUs: number;
  readonly databaseCpuUs: number;
}

type Kind = "read" | "write" | "publish" | "delivery" | "one owner";

export interface CallCosts {
  readonly call: string;
  readonly kind: Kind;
  readonly sqlite: EngineFigures;
  /** Of reads. */
  readonly cached?: EngineFigures;
  readonly postgres: EngineFigures;
}

export interface Costs {
  readonly machine: readonly MachineFact[];
  readonly calls: readonly CallCosts[];
  /** What calls take in large stores beside small ones. */
  readonly growth: readonly (Finding & { readonly title: string })[];
  readonly lagMs: { readonly p50: number; readonly p99: number };
  readonly eventBytes: number;
}

/** Microseconds and milliseconds have digits that mean nothing. */
function round(value: number): number {
  return Number(value.toPrecision(4));
}

/** What is NaN here was not measured on this machine, and counts as nothing. */
function figuresOf(row: Row): EngineFigures {
  return {
    perSecond: round(row.median),
    p50Ms: Number.isNaN(row.p50Ms) ? null : round(row.p50Ms),
    cpuUs: round(row.cpuUs || 0),
    databaseCpuUs: round(row.databaseCpuUs || 0),
  };
}

/** The findings that set large stores beside small ones. */
export function growthOf(tables: readonly Table[]): Costs["growth"] {
  return tables.flatMap(({ title, findings }) =>
    findings
      .filter(({ isGrowth }) => isGrowth)
      .map(({ isGrowth: _isGrowth, ...found }) => ({ title, ...found, value: round(found.value) })),
  );
}

/** Undefined when a part that is needed for it was not measured. */
export function costsOf(machine: readonly MachineFact[], tables: readonly Table[]): Costs | undefined {
  const rows = tables.flatMap((table) => table.rows);
  const reads = [callRow(GET_USER, SQLITE), callRow(GET_USER, CACHED)];
  const needed = [...reads, callRow(DELIVERED, POSTGRES), SINCE_COMMIT, STORED_EVENT];
  if (!needed.every((name) => rows.some((row) => row.name === name))) return undefined;
  const kinds: readonly (readonly [call: string, kind: Kind])[] = [
    ...Object.entries(CALLS).map(([call, { kind }]) => [call, kind] as const),
    [DELIVERED, "delivery"],
    [ONE_OWNER, "one owner"],
  ];
  const { p50Ms, p99Ms } = rowOf(rows, SINCE_COMMIT);
  return {
    machine,
    calls: kinds.map(([call, kind]) => ({
      call,
      kind,
      sqlite: figuresOf(rowOf(rows, callRow(call, SQLITE))),
      ...(kind === "read" && { cached: figuresOf(rowOf(rows, callRow(call, CACHED))) }),
      postgres: figuresOf(rowOf(rows, callRow(call, POSTGRES))),
    })),
    growth: growthOf(tables),
    lagMs: { p50: round(p50Ms), p99: round(p99Ms) },
    eventBytes: Math.round(rowOf(rows, STORED_EVENT).median),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function engineCosts(calls: readonly CallCosts[], engine: "sqlite" | "postgres"): EngineCosts {
  const meanOf = (kinds: readonly Kind[]): Cost => {
    const chosen = calls.filter(({ kind }) => kinds.includes(kind)).map((call) => call[engine]);
    return {
      reeve: mean(chosen.map(({ cpuUs }) => cpuUs)) / 1e6,
      database: mean(chosen.map(({ databaseCpuUs }) => databaseCpuUs)) / 1e6,
    };
  };
  const [delivered, published] = [meanOf(["delivery"]), meanOf(["publish"])];
  return {
    read: meanOf(["read"]),
    write: meanOf(["write", "publish"]),
    // The rest of what it takes to publish an event and deliver it.
    delivery: {
      reeve: Math.max(0, delivered.reeve - published.reeve),
      database: Math.max(0, delivered.database - published.database),
    },
  };
}

/** The means that the forecast counts with: each kind of call as often as any other. */
export function measuredCosts({ calls, lagMs, eventBytes }: Costs): MeasuredCosts {
  return { sqlite: engineCosts(calls, "sqlite"), postgres: engineCosts(calls, "postgres"), lagMs, eventBytes };
}
