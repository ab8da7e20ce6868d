import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyLimiter } from "./limiters.ts";

const MAX_SLOTS = 1_024;
const SHARED_SLOTS = 512;
const MAX_LONG = 64;

/** A client that takes every free slot, up to as many as wanted, and adds its name to `order` each time. */
function clientOf(limiter: ConcurrencyLimiter, name: string, wanted: number, order: string[] = [], isLong = false) {
  const client = {
    slots: 0,
    pump() {
      while (client.slots < wanted && limiter.acquire(client, isLong)) {
        client.slots++;
        order.push(name);
      }
    },
    release() {
      client.slots--;
      limiter.release(isLong);
      client.pump();
    },
  };
  client.pump();
  return client;
}

test("a client that wants many slots gets half of them, and the others get one each from the other half", () => {
  const limiter = new ConcurrencyLimiter();
  const greedy = clientOf(limiter, "greedy", Infinity);
  assert.equal(greedy.slots, SHARED_SLOTS);
  const others = Array.from({ length: 600 }, () => clientOf(limiter, "other", 4));
  assert.equal(others.filter(({ slots }) => slots === 1).length, MAX_SLOTS - SHARED_SLOTS);
  assert.equal(others.filter(({ slots }) => slots > 1).length, 0);
});

test("freed slots go to clients that have none, the longest waiting first", () => {
  const limiter = new ConcurrencyLimiter();
  const order: string[] = [];
  const present = Array.from({ length: MAX_SLOTS }, () => clientOf(limiter, "present", 1));
  for (const name of ["a", "b", "c"]) clientOf(limiter, name, 2, order);
  assert.deepEqual(order, []);
  // Each wants its slot back at once, and has to wait for it like all others.
  for (const client of present.slice(0, 4)) client.release();
  assert.deepEqual(order, ["a", "b", "c"]);
  assert.deepEqual(
    present.slice(0, 5).map(({ slots }) => slots),
    [1, 0, 0, 0, 1],
  );
});

test("few long payloads are in flight, and short ones overtake those that wait", () => {
  const limiter = new ConcurrencyLimiter();
  const order: string[] = [];
  const long = clientOf(limiter, "long", Infinity, [], true);
  assert.equal(long.slots, MAX_LONG);
  clientOf(limiter, "waiting", 1, order, true);
  clientOf(limiter, "short", 1, order);
  assert.deepEqual(order, ["short"]);
  // It asked for another slot before the other one asked for its first.
  long.release();
  assert.deepEqual([order, long.slots], [["short"], MAX_LONG]);
  long.release();
  assert.deepEqual(order, ["short", "waiting"]);
  assert.equal(long.slots, MAX_LONG - 1);
});
