import assert from "node:assert/strict";
import { test } from "node:test";
import { MINUTE_MS, SECOND_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { pauseAfter, pauseLeft } from "./rules.ts";

test("some failures are free, then each pause is twice as long as the one before, up to 15 minutes", () => {
  for (const [subject, free] of [
    ["account:a", 5],
    ["device:a", 10],
    ["device-code:usr_a", 5],
    ["address:192.0.2.1", 50],
    ["address:2001:db8::/64", 50],
  ] as const) {
    for (let failures = 0; failures < free; failures++) assert.equal(pauseAfter(subject, failures), 0);
    const pauses = Array.from({ length: 12 }, (_, more) => pauseAfter(subject, free + more) / SECOND_MS);
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
    assert.equal(pauseAfter(subject, Number.MAX_SAFE_INTEGER), 15 * MINUTE_MS);
  }
});

test("a pause ends by itself, and one from a clock that was ahead does not count", () => {
  const now = 1_000_000_000;
  const failed = (failedAt: number) => ({ failedAt, pausedUntil: failedAt + MINUTE_MS });
  assert.equal(pauseLeft(failed(now), now), MINUTE_MS);
  assert.equal(pauseLeft(failed(now), now + MINUTE_MS - 1), 1);
  assert.equal(pauseLeft(failed(now), now + MINUTE_MS), 0);
  // Another server's clock is ahead a little.
  assert.equal(pauseLeft(failed(now + SECOND_MS), now), MINUTE_MS + SECOND_MS);
  assert.equal(pauseLeft(failed(now + 5 * MINUTE_MS), now), 6 * MINUTE_MS);
  assert.equal(pauseLeft(failed(now + 5 * MINUTE_MS + 1), now), 0);
});
