// Groups sums of requests by the requested dimensions, most requests first.
import type { Condition } from "./filter-rules.ts";

/** The requests of a bucket. Unknown dimensions are empty. */
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

/** Whether only sums by minute have the dimension. */
export function isOfMinutes(dimension: string): boolean {
  return Object.hasOwn(BY_MINUTE, dimension);
}

/** Other dimensions are not reported, so they are empty. */
function valueOf(sum: BucketSum, dimension: string): string {
  return READERS.get(dimension)?.(sum) ?? "";
}

export function fits(sum: BucketSum, conditions: readonly Condition[]): boolean {
  return conditions.every(({ dimension, isEqual, value }) => (valueOf(sum, dimension) === value) === isEqual);
}

export interface Group {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly total: number;
  /** By the start of the bucket. A bucket without requests is absent. */
  readonly buckets: ReadonlyMap<number, number>;
}

export function groupSums(sums: readonly BucketSum[], groupBy: readonly string[]): Group[] {
  const groups = new Map<string, { total: number; readonly buckets: Map<number, number> }>();
  for (const sum of sums) {
    const key = JSON.stringify(groupBy.map((name) => valueOf(sum, name)));
    const group = groups.get(key) ?? { total: 0, buckets: new Map<number, number>() };
    group.total += sum.count;
    group.buckets.set(sum.start, (group.buckets.get(sum.start) ?? 0) + sum.count);
    groups.set(key, group);
  }
  return [...groups]
    .toSorted(([a, { total: one }], [b, { total: other }]) => other - one || (a < b ? -1 : 1))
    .map(([key, group]) => {
      const values = JSON.parse(key) as string[];
      return { ...group, dimensions: Object.fromEntries(groupBy.map((name, at) => [name, values[at] as string])) };
    });
}

/** The start of each bucket in the range. */
export function bucketsOf(from: number, to: number, span: number): number[] {
  const first = from - (from % span);
  return Array.from({ length: Math.ceil((to - first) / span) }, (_, at) => first + at * span);
}
