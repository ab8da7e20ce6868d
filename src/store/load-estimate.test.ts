import assert from "node:assert/strict";
import { test } from "node:test";
import { createLoadEstimate } from "./load-estimate.ts";
import type { LoadEstimate } from "./load-estimate.ts";

/** Work that ends when it is told to, in the order in which it came. */
function createWorks(backlog: LoadEstimate) {
  const ends: (() => void)[] = [];
  return {
    begin(count: number): void {
      for (let n = 0; n < count; n++) void backlog.run(() => new Promise<void>((resolve) => ends.push(resolve)));
    },
    async end(count: number): Promise<void> {
      const left = backlog.size - count;
      for (const end of ends.splice(0, count)) end();
      while (backlog.size > left) await Promise.resolve();
    },
  };
}

function startBacklog(lanes = 1) {
  const clock = { now: 0 };
  const backlog = createLoadEstimate(lanes, () => clock.now);
  return { clock, backlog, works: createWorks(backlog) };
}

/** Does ten each 100 ms until so much time has passed, while there are so many. */
async function flow({ clock, backlog, works }: ReturnType<typeof startBacklog>, ms: number, size: number) {
  const answers: boolean[] = [];
  for (const until = clock.now + ms; clock.now < until; clock.now += 100) {
    works.begin(size - backlog.size);
    answers.push(backlog.hasCapacity(0));
    await works.end(10);
  }
  return answers;
}

test("a burst of thousands is taken while nothing is known of how fast it goes", () => {
  const { backlog, works } = startBacklog();
  works.begin(5_000);
  assert.ok(backlog.hasCapacity(0));
  works.begin(11_384);
  assert.ok(!backlog.hasCapacity(0), "memory is bounded all the same");
});

test("what would wait for longer than a burst may take is refused", async () => {
  const world = startBacklog();
  // 100 a second: 300 take 3 s, 1 000 take 10 s.
  assert.ok((await flow(world, 1_000, 300)).every((hasCapacity) => hasCapacity));
  assert.ok((await flow(world, 1_000, 1_000)).slice(2).every((hasCapacity) => !hasCapacity));
});

test("few are taken however slow they are, and none while nothing at all is done", async () => {
  const world = startBacklog();
  assert.ok((await flow(world, 60_000, 255)).every((hasCapacity) => hasCapacity));
  world.clock.now += 4_000;
  assert.ok(world.backlog.hasCapacity(0));
  world.clock.now += 6_000;
  assert.ok(!world.backlog.hasCapacity(0));
  await world.works.end(1);
  assert.ok(world.backlog.hasCapacity(0));
});

test("one that takes long is in nobody's way where there are other lanes", () => {
  const { clock, backlog, works } = startBacklog(2);
  works.begin(1);
  clock.now += 60_000;
  works.begin(2);
  assert.ok(backlog.hasCapacity(0), "the other lane has only just begun");
  clock.now += 6_000;
  assert.ok(!backlog.hasCapacity(0), "both stand still");
});

test("how fast work goes is not told from a time when there was little to do", async () => {
  const { clock, backlog, works } = startBacklog(2);
  // One after the other, and never none.
  works.begin(1);
  for (let count = 0; count < 10; count++) {
    clock.now += 1_000;
    works.begin(1);
    await works.end(1);
  }
  works.begin(400);
  assert.ok(backlog.hasCapacity(0));
});

test("when it is over there is room at once, for another burst too", async () => {
  const world = startBacklog();
  await flow(world, 10_000, 2_000);
  assert.ok(!world.backlog.hasCapacity(0));
  await world.works.end(world.backlog.size);
  assert.ok(world.backlog.hasCapacity(0));
  // How fast the store was then says nothing of now.
  world.clock.now += 2_000;
  world.works.begin(2_000);
  assert.ok(world.backlog.hasCapacity(0));
});
