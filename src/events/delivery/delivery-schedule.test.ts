import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { nextTryAt, coolDownAfter } from "./delivery-schedule.ts";

const NOW = 1_900_000_000_000;

test("nine failures are retried, each after the interval that Standard Webhooks suggests; the tenth is final", () => {
  const delays = Array.from({ length: 10 }, (_, at) => nextTryAt(at + 1, 0, 0));
  const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
  assert.deepEqual(delays, [5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, ...hours, null]);
});

test("the jitter is added: a retry is never early, and late by a tenth at most", () => {
  const tries = fc.integer({ min: 1, max: 9 });
  const random = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
  fc.assert(
    fc.property(tries, random, (attempt, chance) => {
      const least = (nextTryAt(attempt, 0, 0) as number) + NOW;
      const at = nextTryAt(attempt, NOW, chance) as number;
      assert.ok(Number.isInteger(at) && at >= least && at - NOW <= (least - NOW) * 1.1, String(at - NOW));
    }),
  );
});

test("a receiver cools down after five failures in a row, twice as long each time, up to five minutes", () => {
  const coolDowns = Array.from({ length: 12 }, (_, failures) => coolDownAfter(failures) / SECOND_MS);
  assert.deepEqual(coolDowns, [0, 0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300]);
  assert.equal(coolDownAfter(1_000_000), 5 * MINUTE_MS);
});
