// Each challenge is spent once, in bounded memory.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSpentSolutions } from "./spent-solutions.ts";

test("an id is spent once, until its end", () => {
  let now = 0;
  const spent = createSpentSolutions({ clock: () => now });
  assert.deepEqual([spent.spend("a", 10), spent.spend("a", 10), spent.spend("b", 20)], [true, false, true]);
  now = 9;
  assert.deepEqual([spent.spend("c", 30), spent.spend("a", 10)], [true, false]);
  now = 10;
  // What has ended is forgotten; nobody accepts a challenge of that time any more.
  assert.deepEqual([spent.spend("d", 30), spent.spend("a", 10), spent.spend("b", 20)], [true, true, false]);
});

test("beyond the bound the oldest are forgotten, and new ones are still accepted", () => {
  const spent = createSpentSolutions({ clock: () => 0, max: 3 });
  for (const id of ["a", "b", "c", "d"]) assert.equal(spent.spend(id, 10), true);
  assert.deepEqual([spent.spend("b", 10), spent.spend("d", 10), spent.spend("a", 10)], [false, false, true]);
});
