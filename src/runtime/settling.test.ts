import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { getHeapStatistics } from "node:v8";
import { settleWhenIdle } from "./settling.ts";

/** Leaves so much behind that V8 has taken room for it, as loading modules does. */
function leaveGarbage(): void {
  const kept: object[] = [];
  for (let at = 0; at < 500_000; at++) kept.push({ at });
  assert.equal(kept.length, 500_000);
}

test("what starting took is given back once nothing has been going on for a while", () => {
  mock.timers.enable({ apis: ["setInterval"] });
  const stir = settleWhenIdle();
  leaveGarbage();
  const roomTaken = getHeapStatistics().total_heap_size;
  stir();
  mock.timers.tick(2_000);
  assert.ok(getHeapStatistics().total_heap_size > 0.9 * roomTaken);
  mock.timers.tick(2_000);
  assert.ok(getHeapStatistics().total_heap_size < 0.5 * roomTaken);
  mock.timers.reset();
});
