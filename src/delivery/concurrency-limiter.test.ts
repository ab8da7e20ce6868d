import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";

const MAX_PLACES = 1_024;
const SHARED_PLACES = 512;
const MAX_LONG = 64;

/** Somebody who takes every place that there is, up to as many as wanted, and notes it in `order`. */
function guestIn(room: ConcurrencyLimiter, name: string, wanted: number, order: string[] = [], isLong = false) {
  const guest = {
    places: 0,
    pump() {
      while (guest.places < wanted && room.enter(guest, isLong)) {
        guest.places++;
        order.push(name);
      }
    },
    leave() {
      guest.places--;
      room.leave(isLong);
      guest.pump();
    },
  };
  guest.pump();
  return guest;
}

test("whoever wants many places gets half of them, and the others one each from the other half", () => {
  const room = new ConcurrencyLimiter();
  const greedy = guestIn(room, "greedy", Infinity);
  assert.equal(greedy.places, SHARED_PLACES);
  const others = Array.from({ length: 600 }, () => guestIn(room, "other", 4));
  assert.equal(others.filter(({ places }) => places === 1).length, MAX_PLACES - SHARED_PLACES);
  assert.equal(others.filter(({ places }) => places > 1).length, 0);
});

test("places that become free go round: to those that have none, the longest waiting first", () => {
  const room = new ConcurrencyLimiter();
  const order: string[] = [];
  const holders = Array.from({ length: MAX_PLACES }, () => guestIn(room, "holder", 1));
  for (const name of ["a", "b", "c"]) guestIn(room, name, 2, order);
  assert.deepEqual(order, []);
  // Each wants its place back at once, and has to wait for it like everybody.
  for (const holder of holders.slice(0, 4)) holder.leave();
  assert.deepEqual(order, ["a", "b", "c"]);
  assert.deepEqual(
    holders.slice(0, 5).map(({ places }) => places),
    [1, 0, 0, 0, 1],
  );
});

test("of long payloads few are under way, and the short ones pass by those that wait", () => {
  const room = new ConcurrencyLimiter();
  const order: string[] = [];
  const long = guestIn(room, "long", Infinity, [], true);
  assert.equal(long.places, MAX_LONG);
  guestIn(room, "waiting", 1, order, true);
  guestIn(room, "short", 1, order);
  assert.deepEqual(order, ["short"]);
  // It asked for another before the other asked for its first.
  long.leave();
  assert.deepEqual([order, long.places], [["short"], MAX_LONG]);
  long.leave();
  assert.deepEqual(order, ["short", "waiting"]);
  assert.equal(long.places, MAX_LONG - 1);
});
