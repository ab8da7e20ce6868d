// Latencies as counts by doubling bounds: 1, 2, 4, ... 65 536 ms, and one more for all above. Counts of several processes add up.

export const LATENCY_COUNTS = 18;

/** The index of the count that a latency belongs to. */
export function latencyIndex(ms: number): number {
  return ms <= 1 ? 0 : Math.min(LATENCY_COUNTS - 1, Math.ceil(Math.log2(ms)));
}

export function noLatencies(): number[] {
  return Array.from({ length: LATENCY_COUNTS }, () => 0);
}

export function addLatencies(one: readonly number[], other: readonly number[]): number[] {
  return Array.from({ length: LATENCY_COUNTS }, (_, at) => (one[at] ?? 0) + (other[at] ?? 0));
}

export function countLatencies(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The latency in ms, estimated between two bounds, that a share of all does not exceed. 0 when there are none. */
export function latencyAt(counts: readonly number[], share: number): number {
  let rest = countLatencies(counts) * share;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && rest <= count) {
      const lower = at === 0 ? 0 : 2 ** (at - 1);
      return Math.round(lower + (2 ** at - lower) * (rest / count));
    }
    rest -= count;
  }
  return 0;
}
