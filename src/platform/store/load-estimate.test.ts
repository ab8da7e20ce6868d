import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoadEstimate } from "./load-estimate.ts";
import type { LoadEstimate } from "./load-estimate.ts";

/** Work that `end` ends, in the order in which it began. */
function createWorks(estimate: LoadEstimate) {
  const ends: (() => void)[] = [];
  return {
    begin(count: number): void {
      for (let n = 0; n < count; n++) void estimate.run(() => new Promise<void>((resolve) => ends.push(resolve)));
    },
    async end(count: number): Promise<void> {
      const left = estimate.size - count;
      for (const end of ends.splice(0, count)) end();
      while (estimate.size > left) await Promise.resolve();
    },
  };
}

function startEstimate(concurrency = 1) {
  const clock = { now: 0 };
  const estimate = createLoadEstimate(concurrency, () => clock.now);
  return { clock, estimate, works: createWorks(estimate) };
}

/** Finishes ten units each 100 ms for `ms`, and keeps `size` of them waiting. */
async function flow({ clock, estimate, works }: ReturnType<typeof startEstimate>, ms: number, size: number) {
  const answers: boolean[] = [];
  for (const until = clock.now + ms; clock.now < until; clock.now += 100) {
    works.begin(size - estimate.size);
    answers.push(estimate.hasCapacity(0));
    await works.end(10);
  }
  return answers;
}

test("a burst of thousands is accepted before any speed was measured", () => {
  const { estimate, works } = startEstimate();
  works.begin(5_000);
  assert.ok(estimate.hasCapacity(0));
  works.begin(11_384);
  assert.ok(!estimate.hasCapacity(0), "memory is bounded all the same");
});

test("work that would wait for longer than a burst may take is refused", async () => {
  const world = startEstimate();
  // 100 a second: 300 take 3 s, 1 000 take 10 s.
  assert.ok((await flow(world, 1_000, 300)).every((hasCapacity) => hasCapacity));
  assert.ok((await flow(world, 1_000, 1_000)).slice(2).every((hasCapacity) => !hasCapacity));
});

test("a few are accepted however slow they are, and none while the store has stalled", async () => {
  const world = startEstimate();
  assert.ok((await flow(world, 60_000, 255)).every((hasCapacity) => hasCapacity));
  world.clock.now += 4_000;
  assert.ok(world.estimate.hasCapacity(0));
  world.clock.now += 6_000;
  assert.ok(!world.estimate.hasCapacity(0));
  await world.works.end(1);
  assert.ok(world.estimate.hasCapacity(0));
});

test("a long unit of work does not stall the others while one more can run beside it", () => {
  const { clock, estimate, works } = startEstimate(2);
  works.begin(1);
  clock.now += 60_000;
  works.begin(2);
  assert.ok(estimate.hasCapacity(0), "the other one has only just begun");
  clock.now += 6_000;
  assert.ok(!estimate.hasCapacity(0), "both have stalled");
});

test("speed is not measured while there is little to do", async () => {
  const { clock, estimate, works } = startEstimate(2);
  // One after the other, and never none.
  works.begin(1);
  for (let count = 0; count < 10; count++) {
    clock.now += 1_000;
    works.begin(1);
    await works.end(1);
  }
  works.begin(400);
  assert.ok(estimate.hasCapacity(0));
});

test("after the load there is room at once, for another burst too", async () => {
  const world = startEstimate();
  await flow(world, 10_000, 2_000);
  assert.ok(!world.estimate.hasCapacity(0));
  await world.works.end(world.estimate.size);
  assert.ok(world.estimate.hasCapacity(0));
  // How fast the store was then says nothing of now.
  world.clock.now += 2_000;
  world.works.begin(2_000);
  assert.ok(world.estimate.hasCapacity(0));
});
