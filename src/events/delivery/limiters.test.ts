import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyLimiter } from "./limiters.ts";
import type { Slot } from "./limiters.ts";

const MAX_SLOTS = 1_024;
const SHARED_SLOTS = 512;
const TROUBLED_SLOTS = 512;
const SHARED_TROUBLED_SLOTS = 256;
const MAX_LONG = 64;
const SECOND_MS = 1_000;

interface Wish {
  readonly order?: string[];
  readonly isLong?: boolean;
  readonly isTroubled?: boolean;
  /** By default it has responded. */
  readonly isProven?: boolean;
  /** Of its slots. */
  readonly now?: number;
}

/** A client that takes every free slot, up to as many as wanted, and adds its name to `order` each time. */
function clientOf(limiter: ConcurrencyLimiter, name: string, wanted: number, wish: Wish = {}) {
  const { order = [], isLong = false, now = 0 } = wish;
  const taken: Slot[] = [];
  const client = {
    isTroubled: wish.isTroubled ?? false,
    isProven: wish.isProven ?? true,
    get slots() {
      return taken.length;
    },
    recordSlow() {
      client.isTroubled = true;
    },
    pump() {
      while (taken.length < wanted) {
        const slot = limiter.acquire(client, isLong, now);
        if (!slot) return;
        taken.push(slot);
        order.push(name);
      }
    },
    release() {
      limiter.release(taken.shift() as Slot);
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

test("receivers that hang do not take all slots, also if they come one second after the other", () => {
  const limiter = new ConcurrencyLimiter();
  const hanging = [];
  for (let second = 0; second < 6; second++) {
    const wish = { isProven: false, now: second * SECOND_MS };
    for (let count = 0; count < 100; count++) hanging.push(clientOf(limiter, "hanging", 5, wish));
    limiter.lookForSlow((second + 1) * SECOND_MS);
  }
  // A first one each, and of the first half of all slots what those had room for.
  assert.ok(hanging.every(({ slots }) => slots >= 1));
  const later = 7 * SECOND_MS;
  limiter.lookForSlow(later);
  assert.equal(clientOf(limiter, "new", 3, { isProven: false, now: later }).slots, 1);
  assert.ok(clientOf(limiter, "living", 3, { now: later }).slots === 3);
});

test("one that has not responded yet has as many slots as it wants while half of them are free", () => {
  const limiter = new ConcurrencyLimiter();
  assert.equal(clientOf(limiter, "new", 64, { isProven: false }).slots, 64);
  const busy = clientOf(limiter, "busy", SHARED_SLOTS);
  const waiting = clientOf(limiter, "waiting", 2, { isProven: false });
  assert.equal(waiting.slots, 1);
  busy.release();
  assert.equal(waiting.slots, 1, "others take what is free");
});

test("freed slots go to clients that have none, the longest waiting first", () => {
  const limiter = new ConcurrencyLimiter();
  const order: string[] = [];
  const present = Array.from({ length: MAX_SLOTS }, () => clientOf(limiter, "present", 1));
  for (const name of ["a", "b", "c"]) clientOf(limiter, name, 2, { order });
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
  const long = clientOf(limiter, "long", Infinity, { isLong: true });
  assert.equal(long.slots, MAX_LONG);
  clientOf(limiter, "waiting", 1, { order, isLong: true });
  clientOf(limiter, "short", 1, { order });
  assert.deepEqual(order, ["short"]);
  // It asked for another slot before the other one asked for its first.
  long.release();
  assert.deepEqual([order, long.slots], [["short"], MAX_LONG]);
  long.release();
  assert.deepEqual(order, ["short", "waiting"]);
  assert.equal(long.slots, MAX_LONG - 1);
});

test("receivers that fail or are slow get a part of the slots, first ones before further ones", () => {
  const limiter = new ConcurrencyLimiter();
  const greedy = clientOf(limiter, "greedy", Infinity, { isTroubled: true });
  assert.equal(greedy.slots, SHARED_TROUBLED_SLOTS);
  const others = Array.from({ length: 600 }, () => clientOf(limiter, "other", 4, { isTroubled: true }));
  assert.equal(others.filter(({ slots }) => slots === 1).length, TROUBLED_SLOTS - SHARED_TROUBLED_SLOTS);
  assert.equal(others.filter(({ slots }) => slots > 1).length, 0);
  const healthy = clientOf(limiter, "healthy", Infinity);
  assert.equal(healthy.slots, SHARED_SLOTS);
  // Another one that waits for its first gets the freed slot.
  others[0]?.release();
  assert.deepEqual([others[0]?.slots, others[TROUBLED_SLOTS - SHARED_TROUBLED_SLOTS]?.slots], [0, 1]);
});

test("slots that are taken for a second leave the share of the healthy, who wait for them no longer", () => {
  const limiter = new ConcurrencyLimiter();
  const hanging = Array.from({ length: SHARED_SLOTS / 4 }, () => clientOf(limiter, "hanging", 4));
  const healthy = clientOf(limiter, "healthy", 8, { now: 1 });
  assert.equal(healthy.slots, 1);
  limiter.lookForSlow(SECOND_MS - 1);
  assert.equal(healthy.slots, 1);
  limiter.lookForSlow(SECOND_MS);
  assert.ok(hanging.every(({ isTroubled }) => isTroubled));
  assert.equal(healthy.slots, 8);
  // Those that hang have more than their share by now, and get no more.
  for (const client of hanging) client.release();
  assert.ok(hanging.every(({ slots }) => slots === 3));
});
