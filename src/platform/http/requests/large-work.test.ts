// The order of large work: one piece in each turn, the clients in turn, and no client more than a quarter of the time.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { waitFor } from "../../../../test/harness/wait-for.ts";
import { createLargeWork } from "./large-work.ts";

test("one piece of work runs in each turn, and the clients take turns", async () => {
  mock.method(performance, "now", () => 0);
  const enqueue = createLargeWork();
  const done: string[] = [];
  for (let n = 1; n <= 3; n++) enqueue("a", () => done.push(`a${n}`));
  enqueue("b", () => done.push("b1"));
  assert.equal(done.length, 0, "nothing runs at once");
  for (let turn = 1; turn <= 5; turn++) {
    const before: number = done.length;
    // oxlint-disable-next-line no-await-in-loop -- turn by turn
    await setImmediate();
    assert.ok(done.length <= before + 1);
  }
  mock.restoreAll();
  assert.deepEqual(done, ["a1", "b1", "a2", "a3"]);
});

test("a client whose work takes long rests three times as long, and others do not wait for it", async () => {
  const enqueue = createLargeWork();
  const done: string[] = [];
  let [endedAt, restMs] = [0, 0];
  enqueue("a", () => {
    const begunAt = performance.now();
    while (performance.now() < begunAt + 50);
    endedAt = performance.now();
    done.push("a1");
  });
  enqueue("a", () => {
    restMs = performance.now() - endedAt;
    done.push("a2");
  });
  enqueue("b", () => done.push("b1"));
  await waitFor("all work", () => done.length === 3);
  assert.deepEqual(done, ["a1", "b1", "a2"]);
  assert.ok(restMs >= 140, `${restMs} ms`);
});
