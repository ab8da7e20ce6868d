import assert from "node:assert/strict";
import { test } from "node:test";
import { throttle, throttleByCause } from "./throttle.ts";

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

test("a later report says when the last one happened", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"], now: 1_000 });
  const told: [number, number][] = [];
  const note = throttle<string>(60_000, (_last, count, lastAt) => told.push([count, lastAt]));
  note("a");
  t.mock.timers.tick(10);
  note("b");
  t.mock.timers.tick(60_000);
  assert.deepEqual(told, [
    [1, 1_000],
    [1, 1_010],
  ]);
});

test("each cause is reported at once and counted by itself, whatever numbers are in it", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: [string, number][] = [];
  const note = throttleByCause<string>(60_000, (last, count) => told.push([last, count]));
  for (const cause of ["session 1 ended", "session 22 ended", "login refused", "login refused"]) note(cause, cause);
  assert.deepEqual(told.splice(0), [
    ["session 1 ended", 1],
    ["login refused", 1],
  ]);
  t.mock.timers.tick(60_000);
  assert.deepEqual(told.splice(0), [
    ["session 22 ended", 1],
    ["login refused", 1],
  ]);
});

test("a new cause is reported at once, however many there have been before", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told: string[] = [];
  const note = throttleByCause<string>(60_000, (last) => told.push(last));
  const nameOf = (n: number) => `cause ${String.fromCodePoint(0x4e00 + n)}`;
  for (let n = 0; n < 1_000; n++) {
    if (n % 50 === 0) t.mock.timers.tick(120_000);
    note(nameOf(n), nameOf(n));
  }
  assert.deepEqual(
    told,
    Array.from({ length: 1_000 }, (_, n) => nameOf(n)),
  );
  // In one period all beyond a hundred count as one cause.
  t.mock.timers.tick(120_000);
  told.length = 0;
  for (let n = 0; n < 1_000; n++) note(nameOf(n), nameOf(n));
  assert.equal(told.length, 101);
});
