import assert from "node:assert/strict";
import { test } from "node:test";
import { createSemaphore } from "./semaphore.ts";

const refuse = () => new Error("refused");

/** Work that goes on until it is told to end, or to fail. */
function openWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve, fail: reject };
}

test("those who wait go on in the order in which they came, and no more than there are places", async () => {
  const semaphore = createSemaphore({ places: 2, maxWaiting: 10, maxWaitMs: 60_000, refuse });
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, openWork);
  const runs = works.map(({ work }, at) =>
    semaphore.run(async () => {
      begun.push(at);
      await work();
    }),
  );
  assert.deepEqual(begun, [0, 1]);
  works[1]?.end();
  await runs[1];
  assert.deepEqual(begun, [0, 1, 2]);
  // A failure gives its place back too.
  works[0]?.fail(new Error("failed"));
  await assert.rejects(runs[0] as Promise<void>, /failed/);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const { end } of works) end();
  await Promise.all(runs.slice(1));
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test("whoever comes when the line is full is refused at once", async () => {
  const semaphore = createSemaphore({ places: 1, maxWaiting: 1, maxWaitMs: 60_000, refuse });
  const { work, end } = openWork();
  const runs = [semaphore.run(work), semaphore.run(async () => undefined)];
  await assert.rejects(
    semaphore.run(async () => undefined),
    /refused/,
  );
  end();
  await Promise.all(runs);
  await semaphore.run(async () => undefined);
});

test("whoever has waited too long is refused, and leaves the line", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const semaphore = createSemaphore({ places: 1, maxWaiting: 1, maxWaitMs: 1_000, refuse });
  const { work, end } = openWork();
  const first = semaphore.run(work);
  const late = assert.rejects(
    semaphore.run(async () => assert.fail("it was refused")),
    /refused/,
  );
  t.mock.timers.tick(1_000);
  await late;
  const next = semaphore.run(async () => "next");
  end();
  await first;
  assert.equal(await next, "next");
});

test("whoever finds that its place is none goes on before all who wait, with one that others have left", async () => {
  const semaphore = createSemaphore({ places: 3, maxWaiting: 10, maxWaitMs: 60_000, refuse });
  const begun: string[] = [];
  const { work, end } = openWork();
  const holder = semaphore.run(work);
  await semaphore.enter();
  const exchanged = semaphore.exchange(0).then((hasPlace) => begun.push(`exchanged ${hasPlace}`));
  assert.equal(semaphore.places, 1);
  const later = semaphore.run(async () => begun.push("later"));
  assert.equal(semaphore.waiting, 2);
  end();
  await Promise.all([holder, exchanged]);
  assert.deepEqual(begun, ["exchanged true"]);
  // Alone it keeps the place that it has.
  assert.equal(await semaphore.exchange(0), false);
  assert.equal(await semaphore.exchange(1), true);
  semaphore.leave();
  await later;
});

test("places that were lost come back one by one, or all at once, for those who wait", async () => {
  const semaphore = createSemaphore({ places: 4, maxWaiting: 10, maxWaitMs: 60_000, refuse });
  await semaphore.enter();
  await semaphore.enter();
  const waiting = [semaphore.exchange(0), semaphore.enter(), semaphore.enter()];
  const count = () => ({ places: semaphore.places, waiting: semaphore.waiting });
  assert.deepEqual(count(), { places: 1, waiting: 3 });
  semaphore.growByOne();
  assert.deepEqual(count(), { places: 2, waiting: 2 });
  semaphore.growToMost();
  assert.deepEqual(count(), { places: 4, waiting: 0 });
  for (const one of waiting) await one;
  semaphore.growByOne();
  assert.equal(semaphore.places, 4);
});
