import assert from "node:assert/strict";
import { test } from "node:test";
import { LATENCY_COUNTS, addLatencies, countLatencies, latencyAt, latencyIndex, noLatencies } from "./latencies.ts";

function countsOf(latencies: readonly number[]): number[] {
  const counts = noLatencies();
  for (const ms of latencies) counts[latencyIndex(ms)] = (counts[latencyIndex(ms)] as number) + 1;
  return counts;
}

test("each latency has the count of its bound, and what is above all bounds the last", () => {
  assert.deepEqual([0, 0.4, 1, 1.1, 2, 3, 1_000, 65_536].map(latencyIndex), [0, 0, 0, 1, 1, 2, 10, 16]);
  assert.deepEqual([65_537, 1e9, Infinity].map(latencyIndex), Array.from({ length: 3 }).fill(LATENCY_COUNTS - 1));
});

test("an estimate lies within the bounds of what was counted", () => {
  const uniform = Array.from({ length: 1_000 }, (_, at) => at + 1);
  const [median, high] = [latencyAt(countsOf(uniform), 0.5), latencyAt(countsOf(uniform), 0.95)];
  assert.ok(median >= 400 && median <= 600, `${median}`);
  assert.ok(high >= 900 && high <= 1_024, `${high}`);
  assert.equal(latencyAt(noLatencies(), 0.95), 0);
});

test("counts of two processes add up", () => {
  const sum = addLatencies(countsOf([1, 10]), countsOf([10, 5_000]));
  assert.deepEqual([countLatencies(sum), sum[latencyIndex(10)]], [4, 2]);
});
