import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setDeadline } from "./deadline.ts";

/** Keeps this process from everything else. */
function block(forMs: number): void {
  const until = performance.now() + forMs;
  while (performance.now() < until);
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe("a deadline", () => {
  it("ends the wait, once and not before", async () => {
    const startedAt = performance.now();
    let times = 0;
    await new Promise<void>((resolve) => {
      setDeadline(startedAt + 20, () => {
        times++;
        resolve();
      });
    });
    assert.ok(performance.now() - startedAt >= 20);
    await nextTurn();
    assert.equal(times, 1);
  });

  it("is not early after a delay of this process", async () => {
    block(500);
    let isOver = false;
    const cancel = setDeadline(performance.now() + 400, () => (isOver = true));
    // Node.js has the timer begin before the delay.
    await nextTurn();
    await nextTurn();
    assert.equal(isOver, false);
    cancel();
  });

  it("leaves time for what was held up by this process", async () => {
    let isOver = false;
    const cancel = setDeadline(performance.now() + 20, () => (isOver = true));
    block(100);
    // A turn for timers, and one for what they have put off.
    await nextTurn();
    await nextTurn();
    assert.equal(isOver, false);
    cancel();
  });

  it("is off when it was cancelled, even in the turn in which it ends", async () => {
    let isOver = false;
    const cancel = setDeadline(performance.now() + 1, () => (isOver = true));
    block(5);
    setImmediate(cancel);
    await nextTurn();
    await nextTurn();
    assert.equal(isOver, false);
  });
});
