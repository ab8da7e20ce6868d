import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createLoad } from "./cpu-load.ts";

/** An event loop that has worked for so many ms of those that have passed. */
function loop() {
  const at = { active: 0, passed: 0 };
  const measure = (before = { active: 0, idle: 0, utilization: 0 }) => {
    const [active, idle] = [at.active - before.active, at.passed - at.active - before.idle];
    return { active, idle, utilization: active + idle === 0 ? 0 : active / (active + idle) };
  };
  const load = createLoad(measure, () => at.passed);
  return (passed: number, active: number) => {
    at.passed += passed;
    at.active += active;
    return Math.round(load() * 100) / 100;
  };
}

test("a process has no load up to half of its time, and full load at all of it", () => {
  const after = loop();
  assert.deepEqual([after(1_000, 0), after(1_000, 500), after(1_000, 750), after(1_000, 1_000)], [0, 0, 0.5, 1]);
  assert.equal(after(1_000, 0), 0);
});

test("it measures at most once a second, and goes by the time since the last measurement", () => {
  const after = loop();
  assert.deepEqual([after(1_000, 1_000), after(900, 0), after(99, 0), after(1, 0)], [1, 1, 1, 0]);
});

test("by default it is this process that is measured", async () => {
  // The event loop begins to count when it first turns.
  await setTimeout(1);
  let elapsed = 0;
  const load = createLoad(undefined, () => elapsed);
  const until = performance.now() + 20;
  while (performance.now() < until);
  elapsed = 1_000;
  assert.ok(load() > 0.5, "it did nothing but work");
});
