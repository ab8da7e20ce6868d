import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { setDeadline } from "./deadline.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Time passes when the test says so, and for timers as it says; `pass` runs those that are due, and a turn of the event loop. */
function holdTime(t: TestContext) {
  let now = 1_000;
  t.mock.method(performance, "now", () => now);
  t.mock.timers.enable({ apis: ["setTimeout"] });
  return {
    at: (ms: number) => 1_000 + ms,
    async pass(ms: number, ofTimers = ms): Promise<void> {
      now += ms;
      t.mock.timers.tick(ofTimers);
      await nextTurn();
    },
  };
}

describe("a deadline", () => {
  it("ends the wait, once and not before", async (t) => {
    const { at, pass } = holdTime(t);
    let times = 0;
    setDeadline(at(20), () => times++);
    await pass(19);
    assert.equal(times, 0);
    await pass(1);
    assert.equal(times, 1);
    await pass(1_000);
    assert.equal(times, 1);
  });

  it("is not early, as timers are whose turn had begun long before they were set", async (t) => {
    const { at, pass } = holdTime(t);
    let isOver = false;
    setDeadline(at(400), () => (isOver = true));
    await pass(100, 400);
    await pass(299);
    assert.equal(isOver, false);
    await pass(1);
    assert.equal(isOver, true);
  });

  it("leaves time for what was held up by this process, once and not for long", async (t) => {
    const { at, pass } = holdTime(t);
    let isOver = false;
    setDeadline(at(20), () => (isOver = true));
    await pass(100);
    assert.equal(isOver, false);
    await pass(49);
    assert.equal(isOver, false);
    await pass(1);
    assert.equal(isOver, true);
  });

  it("is off when it was cancelled, even in the turn in which it ends", async (t) => {
    const { at, pass } = holdTime(t);
    let isOver = false;
    const cancel = setDeadline(at(1), () => (isOver = true));
    setImmediate(cancel);
    await pass(5);
    await nextTurn();
    assert.equal(isOver, false);
  });
});
