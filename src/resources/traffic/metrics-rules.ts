// Groups sums of requests by what was asked for, the most requests first.
import type { Condition } from "./filter-rules.ts";

/** Requests of a bucket. What is not known of them is empty. */
export interface BucketSum {
  readonly start: number;
  readonly action: string;
  readonly ruleId: string;
  readonly host: string;
  readonly ip: string;
  readonly count: number;
}

type Reader = (sum: BucketSum) => string;

const BY_RULE: Readonly<Record<string, Reader>> = {
  wafAction: ({ action }) => action,
  wafRuleId: ({ ruleId }) => ruleId,
};
const BY_MINUTE: Readonly<Record<string, Reader>> = {
  clientIp: ({ ip }) => ip,
  requestHostname: ({ host }) => host,
};
const READERS = new Map(Object.entries({ ...BY_RULE, ...BY_MINUTE }));

/** Whether sums by hour lack a dimension that those by minute have. */
export function isOfMinutes(dimension: string): boolean {
  return Object.hasOwn(BY_MINUTE, dimension);
}

/** Nobody reports the other dimensions, so they are empty. */
function valueOf(sum: BucketSum, dimension: string): string {
  return READERS.get(dimension)?.(sum) ?? "";
}

export function fits(sum: BucketSum, conditions: readonly Condition[]): boolean {
  return conditions.every(({ dimension, isEqual, value }) => (valueOf(sum, dimension) === value) === isEqual);
}

export interface Group {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly total: number;
  /** By the bucket's start; a bucket without requests is missing. */
  readonly buckets: ReadonlyMap<number, number>;
}

export function groupSums(sums: readonly BucketSum[], groupBy: readonly string[]): Group[] {
  const valuesOf = (sum: BucketSum) => groupBy.map((name) => [name, valueOf(sum, name)] as const);
  const groups = [...Map.groupBy(sums, (sum) => JSON.stringify(valuesOf(sum)))].map(([key, members]) => {
    const buckets = new Map<number, number>();
    for (const { start, count } of members) buckets.set(start, (buckets.get(start) ?? 0) + count);
    const total = members.reduce((requests, { count }) => requests + count, 0);
    const dimensions = Object.fromEntries(valuesOf(members[0] as BucketSum));
    return { key, dimensions, total, buckets };
  });
  return groups.toSorted((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
}

/** When each bucket of the range begins. */
export function bucketsOf(from: number, to: number, span: number): number[] {
  const first = from - (from % span);
  return Array.from({ length: Math.ceil((to - first) / span) }, (_, at) => first + at * span);
}
