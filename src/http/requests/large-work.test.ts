// The order of large work: one piece in each turn, and no client waits for all of another one's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createLargeWork } from "./large-work.ts";

test("one piece of work runs in each turn, and the clients take turns", async () => {
  const enqueue = createLargeWork();
  const done: string[] = [];
  for (let n = 1; n <= 3; n++) enqueue("a", () => done.push(`a${n}`));
  enqueue("b", () => done.push("b1"));
  assert.equal(done.length, 0, "nothing runs at once");
  for (const all of [["a1"], ["a1", "b1"], ["a1", "b1", "a2"], ["a1", "b1", "a2", "a3"]]) {
    // oxlint-disable-next-line no-await-in-loop -- turn by turn
    await setImmediate();
    assert.deepEqual(done, all);
  }
  enqueue("a", () => done.push("later"));
  await setImmediate();
  assert.equal(done.at(-1), "later");
});
