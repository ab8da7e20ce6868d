import assert from "node:assert/strict";
import { test } from "node:test";
import { createHashingQueue } from "./hashing-queue.ts";

const refuse = () => new Error("refused");
/** Longer than any test. */
const LONG_MS = 600_000;

/** A queue whose work ends when the test says so, and the names of what has begun, in order. */
function openQueue(limits: { concurrency: number; maxWaiting: number; maxWaitMs?: number }) {
  const queue = createHashingQueue({ maxWaitMs: LONG_MS, ...limits, refuse });
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  return {
    queue,
    begun,
    add(name: string, isKnownDevice = false): Promise<string> {
      const end = Promise.withResolvers<void>();
      ends.set(name, end);
      const work = async () => {
        begun.push(name);
        await end.promise;
        return name;
      };
      return queue.run(work, isKnownDevice);
    },
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string) => ends.get(name)?.reject(new Error(`${name} failed`)),
  };
}

test("as many run as may, known devices before strangers, each in the order of their coming", async () => {
  const { queue, begun, add, end, fail } = openQueue({ concurrency: 2, maxWaiting: 10 });
  const runs = new Map([
    ["one", add("one")],
    ["two", add("two")],
    ["stranger 1", add("stranger 1")],
    ["known 1", add("known 1", true)],
    ["stranger 2", add("stranger 2")],
    ["known 2", add("known 2", true)],
  ]);
  await Promise.resolve();
  assert.deepEqual(begun, ["one", "two"]);
  assert.deepEqual(queue.state(), { running: 2, waiting: 4, refused: 0 });
  for (const name of ["two", "known 1", "known 2", "stranger 1", "stranger 2"]) {
    end(name);
    assert.equal(await runs.get(name), name);
  }
  assert.deepEqual(begun, ["one", "two", "known 1", "known 2", "stranger 1", "stranger 2"]);
  // Work that fails hands its turn on too.
  fail("one");
  await assert.rejects(runs.get("one") as Promise<string>, /one failed/);
  assert.deepEqual(queue.state(), { running: 0, waiting: 0, refused: 0 });
});

test("a full queue refuses strangers, and the last stranger gives way to a known device", async () => {
  const { queue, begun, add, end } = openQueue({ concurrency: 1, maxWaiting: 2 });
  const first = add("first");
  const early = add("early");
  const late = add("late");
  await assert.rejects(add("later"), /refused/);
  const known = add("known", true);
  await assert.rejects(late, /refused/);
  assert.deepEqual(queue.state(), { running: 1, waiting: 2, refused: 2 });
  const secondKnown = add("second known", true);
  await assert.rejects(early, /refused/);
  // A known device takes no other's place.
  await assert.rejects(add("third known", true), /refused/);
  for (const name of ["first", "known", "second known"]) end(name);
  assert.deepEqual(await Promise.all([first, known, secondKnown]), ["first", "known", "second known"]);
  assert.deepEqual(begun, ["first", "known", "second known"]);
  assert.deepEqual(queue.state(), { running: 0, waiting: 0, refused: 4 });
});

test("work that waits too long is refused, and never runs", async () => {
  const { queue, begun, add, end } = openQueue({ concurrency: 1, maxWaiting: 2, maxWaitMs: 1 });
  const first = add("first");
  await assert.rejects(Promise.race([add("stranger"), first]), /refused/);
  await assert.rejects(Promise.race([add("known", true), first]), /refused/);
  assert.deepEqual(queue.state(), { running: 1, waiting: 0, refused: 2 });
  end("first");
  await first;
  const next = add("next");
  end("next");
  assert.equal(await next, "next");
  assert.deepEqual(begun, ["first", "next"]);
});
