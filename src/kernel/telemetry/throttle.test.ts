import assert from "node:assert/strict";
import { test } from "node:test";
import { throttle } from "./throttle.ts";

test("what happens often is told at once, and then once in a while with how often", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: [string, number][] = [];
  const note = throttle<string>(60_000, (last, count) => told.push([last, count]));
  for (const one of ["a", "b", "c"]) note(one);
  assert.deepEqual(told, [["a", 1]]);
  t.mock.timers.tick(60_000);
  assert.deepEqual(told.splice(0), [
    ["a", 1],
    ["c", 2],
  ]);
  // Nothing more happens: nothing is told, and the next one is told at once again.
  t.mock.timers.tick(60_000);
  t.mock.timers.tick(60_000);
  assert.deepEqual(told, []);
  note("d");
  assert.deepEqual(told, [["d", 1]]);
});
