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
    const counters = createCounters(16);
    for (let at = 0; at < 16; at++) counters.hold("r", `k${at}`, until(at === 5 ? 10 : 1_000), 0);
    counters.hold("r", "k0", until(2_000), 1);
    counters.hold("r", "new", until(1_000), 11);
    assert.equal(counters.findHold("r", "k5", 0), undefined);
    for (const client of ["k0", "k1", "k2", "new"]) assert.ok(counters.findHold("r", client, 11), client);
    counters.hold("r", "newer", until(1_000), 12);
    assert.equal(counters.findHold("r", "k1", 12), undefined);
    assert.ok(counters.findHold("r", "k0", 12), "was changed since");
  });

  it("never exceed their limit", () => {
    const counters = createCounters(100);
    for (let at = 0; at < 10_000; at++) counters.hold("r", `k${at}`, until(1e9), at);
    const kept = Array.from({ length: 10_000 }, (_, at) => counters.findHold("r", `k${at}`, 0)).filter(Boolean);
    assert.ok(kept.length <= 100 && kept.length > 90, String(kept.length));
  });

  it("list the rules that hold clients", () => {
    const counters = createCounters(4);
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
