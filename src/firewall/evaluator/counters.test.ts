import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCounters, readOnly } from "./counters.ts";
import type { Hold } from "./counters.ts";
import type { Limit } from "./counting.ts";

const until = (endsAt: number): Hold => ({ action: "deny", endsAt });
const LIMIT: Limit = {
  rule: "r",
  key: "count",
  algo: "fixed_window",
  windowMs: 100,
  limit: 1,
  hold: null,
  continues: false,
};

describe("counters", () => {
  it("expire at their end", () => {
    const counters = createCounters();
    counters.hold("r", "a", until(10), 0);
    assert.equal(counters.findHold("r", "a", 9)?.endsAt, 10);
    assert.equal(counters.findHold("r", "a", 10), undefined);
    assert.equal(counters.findHold("r", "b", 0), undefined);
    assert.equal(counters.count(LIMIT, "a", 99).count, 1);
    assert.equal(counters.count(LIMIT, "a", 99).count, 2);
    assert.equal(counters.count(LIMIT, "a", 100).count, 1);
  });

  it("are evicted at the limit: expired ones first, then the least recently changed", () => {
    const counters = createCounters({ counters: 16 });
    const countOf = (client: string, now: number) => counters.peek(LIMIT, client, now).count;
    for (let at = 0; at < 15; at++) counters.count(LIMIT, `k${at}`, 100);
    counters.count({ ...LIMIT, windowMs: 1 }, "k15", 100);
    counters.count(LIMIT, "k0", 101);
    counters.count(LIMIT, "new", 101);
    for (const client of ["k1", "k2", "new"]) assert.equal(countOf(client, 101), 2, client);
    counters.count(LIMIT, "newer", 102);
    assert.equal(countOf("k1", 102), 1);
    assert.equal(countOf("k0", 102), 3, "was changed since");
  });

  it("never exceed their limit, and every rule keeps its share", () => {
    const evicted: Record<string, number> = {};
    const counters = createCounters(
      { counters: 100 },
      { notHeld() {}, evicted: (rule, count) => (evicted[rule] = (evicted[rule] ?? 0) + count) },
    );
    const [a, b] = [
      { ...LIMIT, key: "a", windowMs: 1e9 },
      { ...LIMIT, key: "b", windowMs: 1e9 },
    ];
    const kept = (limit: Limit, most: number) =>
      Array.from({ length: most }, (_, at) => counters.peek(limit, `${at}`, 0).count).filter((count) => count > 1)
        .length;
    for (let at = 0; at < 60; at++) counters.count(b, `${at}`, at);
    for (let at = 0; at < 10_000; at++) counters.count(a, `${at}`, at);
    assert.equal(kept(b, 60), 46);
    assert.ok(kept(a, 10_000) <= 54 && kept(a, 10_000) > 40);
    assert.deepEqual(evicted, { a: 10_000 - kept(a, 10_000), b: 14 });
  });

  it("keep holds to their end, and take none when there are no places", () => {
    const refused: string[] = [];
    const counters = createCounters({ holds: 8 }, { evicted() {}, notHeld: (rule) => void refused.push(rule) });
    const holdMany = (rule: string, endsAt: number, now: number) => {
      for (let at = 0; at < 10; at++) counters.hold(rule, `${at}`, until(endsAt), now);
    };
    const held = (rule: string, now: number) =>
      Array.from({ length: 10 }, (_, at) => counters.findHold(rule, `${at}`, now)).filter(Boolean).length;
    holdMany("one", 100, 0);
    holdMany("two", 1_000, 0);
    assert.deepEqual([held("one", 99), held("two", 99), refused.length], [4, 2, 14]);
    counters.hold("one", "0", until(200), 99);
    assert.deepEqual([held("one", 99), counters.findHold("one", "0", 100)?.endsAt], [4, 200], "in its place");
    holdMany("three", 1_000, 150);
    assert.deepEqual([held("one", 150), held("two", 150), held("three", 150)], [1, 2, 3]);
    for (let at = 0; at < 10; at++) counters.adopt("two", `other ${at}`, until(1_000), 150);
    assert.deepEqual(
      [counters.findHold("two", "other 1", 150)?.endsAt, counters.findHold("two", "other 2", 150)],
      [1_000, undefined],
    );
  });

  it("free the places of holds that have ended, also behind longer ones of the same rule", () => {
    const refused: string[] = [];
    const counters = createCounters({ holds: 4 }, { evicted() {}, notHeld: (rule) => void refused.push(rule) });
    counters.hold("r", "long", until(1_000), 0);
    counters.hold("r", "short", until(10), 0);
    counters.hold("r", "new", until(30), 20);
    assert.deepEqual([counters.findHold("r", "new", 20)?.endsAt, refused], [30, []]);
    assert.equal(counters.findHold("r", "long", 20)?.endsAt, 1_000);
  });

  it("list the rules that hold clients", () => {
    const counters = createCounters();
    counters.hold("one", "a", until(10), 0);
    counters.hold("one", "b", until(20), 0);
    counters.hold("two", "c", until(10), 0);
    assert.deepEqual([...counters.holdingRules()], ["one", "two"]);
    counters.findHold("one", "a", 10);
    counters.findHold("two", "c", 10);
    assert.deepEqual([...counters.holdingRules()], ["one"]);
    assert.deepEqual([counters.isHolding("one"), counters.isHolding("two")], [true, false]);
    counters.findHold("one", "b", 20);
    assert.deepEqual([...counters.holdingRules()], []);
  });

  it("are not changed by looking, nor through a read-only view", () => {
    const counters = createCounters();
    readOnly(counters).hold("r", "a", until(10), 0);
    assert.equal(counters.findHold("r", "a", 0), undefined);
    assert.deepEqual([readOnly(counters).count(LIMIT, "a", 0).count, counters.peek(LIMIT, "a", 0).count], [1, 1]);
    counters.count(LIMIT, "a", 0);
    assert.deepEqual(readOnly(counters).count(LIMIT, "a", 0), { isExceeded: true, waitMs: 100, count: 2 });
    assert.equal(counters.peek(LIMIT, "a", 0).count, 2);
  });
});
