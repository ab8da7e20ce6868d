import assert from "node:assert/strict";
import { test } from "node:test";
import { throttle } from "./throttle.ts";

test("the first occurrence is reported at once, and later ones once per period with their number", (t) => {
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
  // Without further occurrences nothing is reported, and the next one is reported at once.
  t.mock.timers.tick(60_000);
  t.mock.timers.tick(60_000);
  assert.deepEqual(told, []);
  note("d");
  assert.deepEqual(told, [["d", 1]]);
});
