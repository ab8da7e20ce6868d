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
