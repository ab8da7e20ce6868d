import assert from "node:assert/strict";
import { test } from "node:test";
import { Semaphore } from "./semaphore.ts";

const refuse = () => new Error("refused");

/** Work that runs until `end` or `fail` is called. */
function openWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve, fail: reject };
}

test("permits are granted in the order of acquisition, no more than there are", async () => {
  const semaphore = new Semaphore({ permits: 2, maxWaiting: 10, maxWaitMs: 60_000, refuse });
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
  // Failed work releases its permit too.
  works[0]?.fail(new Error("failed"));
  await assert.rejects(runs[0] as Promise<void>, /failed/);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const { end } of works) end();
  await Promise.all(runs.slice(1));
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
});

test("one that finds the queue full is refused at once", async () => {
  const semaphore = new Semaphore({ permits: 1, maxWaiting: 1, maxWaitMs: 60_000, refuse });
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

test("one that has waited too long is refused, and leaves the queue", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const semaphore = new Semaphore({ permits: 1, maxWaiting: 1, maxWaitMs: 1_000, refuse });
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

test("one that exchanges a useless permit gets the next released one, before all who wait", async () => {
  const semaphore = new Semaphore({ permits: 3, maxWaiting: 10, maxWaitMs: 60_000, refuse });
  const begun: string[] = [];
  const { work, end } = openWork();
  const holder = semaphore.run(work);
  await semaphore.acquire();
  const exchanged = semaphore.exchange(0).then((hasPermit) => begun.push(`exchanged ${hasPermit}`));
  assert.equal(semaphore.permits, 1);
  const later = semaphore.run(async () => begun.push("later"));
  assert.equal(semaphore.waiting, 2);
  end();
  await Promise.all([holder, exchanged]);
  assert.deepEqual(begun, ["exchanged true"]);
  // The only holder keeps its permit.
  assert.equal(await semaphore.exchange(0), false);
  assert.equal(await semaphore.exchange(1), true);
  semaphore.release();
  await later;
});

test("lost permits come back one by one, or all at once, for those who wait", async () => {
  const semaphore = new Semaphore({ permits: 4, maxWaiting: 10, maxWaitMs: 60_000, refuse });
  await semaphore.acquire();
  await semaphore.acquire();
  const waiting = [semaphore.exchange(0), semaphore.acquire(), semaphore.acquire()];
  const count = () => ({ permits: semaphore.permits, waiting: semaphore.waiting });
  assert.deepEqual(count(), { permits: 1, waiting: 3 });
  semaphore.growByOne();
  assert.deepEqual(count(), { permits: 2, waiting: 2 });
  semaphore.growToMost();
  assert.deepEqual(count(), { permits: 4, waiting: 0 });
  for (const one of waiting) await one;
  semaphore.growByOne();
  assert.equal(semaphore.permits, 4);
});
