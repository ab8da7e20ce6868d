// Groups sums of requests by what was asked for, the most requests first.

export const DIMENSIONS = ["wafAction", "wafRuleId"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Requests of a bucket. */
export interface BucketSum {
  readonly start: number;
  readonly action: string;
  readonly ruleId: string;
  readonly count: number;
}

export interface Group {
  readonly dimensions: Readonly<Partial<Record<Dimension, string>>>;
  readonly total: number;
  /** By the bucket's start; a bucket without requests is missing. */
  readonly buckets: ReadonlyMap<number, number>;
}

export function groupSums(sums: readonly BucketSum[], groupBy: readonly Dimension[]): Group[] {
  const valuesOf = ({ action, ruleId }: BucketSum) =>
    groupBy.map((name) => [name, name === "wafAction" ? action : ruleId] as const);
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
