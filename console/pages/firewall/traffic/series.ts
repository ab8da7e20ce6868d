// Arranges the response for a plot: the largest groups, each with a count per bucket, and the rest together.
import type { Output } from "../../../api/endpoints.ts";
import { DIMENSIONS, countOf } from "./traffic-query.ts";
import type { By } from "./traffic-query.ts";

export type Metrics = Output<"POST /metrics/v1">;

/** As many as the style has colours for, without that of the rest. */
const MAX_SHOWN = 6;
/** Decisions, the lowest in the plot first. */
const DECISIONS = ["allow", "bypass", "redirect", "rate_limit", "challenge", "deny", "log"];

export interface Series {
  /** The value of the dimension; null: all that are not shown on their own. */
  readonly value: string | null;
  readonly by: By;
  readonly total: number;
  /** One for each bucket. */
  readonly counts: readonly number[];
}

/** The style of a series: decisions have theirs everywhere. */
export function lookOf({ by, value }: Series, at: number): string {
  return by === "action" && value !== null ? `decision-${value}` : `series-${value === null ? MAX_SHOWN : at}`;
}

export interface Plotted {
  /** The start of each bucket, ms since the epoch. */
  readonly buckets: readonly number[];
  readonly series: readonly Series[];
  /** The most requests of a bucket. */
  readonly peak: number;
  readonly total: number;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

export function arrange(metrics: Metrics, by: By): Plotted {
  const dimension = DIMENSIONS[by];
  const buckets = [...new Set(metrics.series.map(({ timestamp }) => Date.parse(timestamp)))].toSorted((a, b) => a - b);
  const positions = new Map(buckets.map((start, at) => [start, at]));
  const present = metrics.summary.map(({ dimensions }) => dimensions[dimension] ?? "");
  const shown = by === "action" ? DECISIONS.filter((action) => present.includes(action)) : present.slice(0, MAX_SHOWN);
  const counts = new Map<string | null, number[]>();
  for (const { timestamp, dimensions, values } of metrics.series) {
    const value = dimensions[dimension] ?? "";
    const key = shown.includes(value) ? value : null;
    const row = counts.get(key) ?? buckets.map(() => 0);
    const at = positions.get(Date.parse(timestamp)) ?? 0;
    row[at] = (row[at] ?? 0) + countOf(values);
    counts.set(key, row);
  }
  const series = [...shown, null].flatMap((value) => {
    const row = counts.get(value);
    return row === undefined ? [] : [{ value, by, total: sum(row), counts: row }];
  });
  const peaks = buckets.map((_start, at) => sum(series.map((one) => one.counts[at] ?? 0)));
  return {
    buckets,
    series,
    peak: Math.max(0, ...peaks),
    total: sum(metrics.summary.map(({ values }) => countOf(values))),
  };
}
