import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createCounters, readOnly } from "./counters.ts";
import type { Counter } from "./counters.ts";

const ending = (endsAt: number): Counter => ({ kind: "window", startsAt: 0, count: 1, endsAt });
const hold = (rule: string, endsAt: number): Counter => ({ kind: "hold", action: "deny", rule, endsAt });

describe("counters", () => {
  it("expire at their end", () => {
    const counters = createCounters();
    counters.set("a", ending(10), 0);
    assert.deepEqual(counters.get("a", 9), ending(10));
    assert.equal(counters.get("a", 10), undefined);
    assert.equal(counters.get("b", 0), undefined);
  });

  it("are evicted at the limit: expired ones first, then the least recently changed", () => {
    const counters = createCounters(16);
    for (let at = 0; at < 16; at++) counters.set(`k${at}`, ending(at === 5 ? 10 : 1_000), 0);
    counters.set("k0", ending(2_000), 1);
    counters.set("new", ending(1_000), 11);
    assert.equal(counters.get("k5", 0), undefined);
    for (const key of ["k0", "k1", "k2", "new"]) assert.ok(counters.get(key, 11), key);
    counters.set("newer", ending(1_000), 12);
    assert.equal(counters.get("k1", 12), undefined);
    assert.ok(counters.get("k0", 12), "was changed since");
  });

  it("never exceed their limit", () => {
    const counters = createCounters(100);
    for (let at = 0; at < 10_000; at++) counters.set(`k${at}`, hold("r", 1e9), at);
    const kept = Array.from({ length: 10_000 }, (_, at) => counters.get(`k${at}`, 0)).filter(Boolean);
    assert.ok(kept.length <= 100 && kept.length > 90, String(kept.length));
  });

  it("list the rules that hold clients", () => {
    const counters = createCounters(4);
    counters.set("a", hold("one", 10), 0);
    counters.set("b", hold("one", 20), 0);
    counters.set("c", hold("two", 10), 0);
    assert.deepEqual([...counters.holdingRules()], ["one", "two"]);
    counters.get("a", 10);
    counters.get("c", 10);
    assert.deepEqual([...counters.holdingRules()], ["one"]);
    counters.set("b", ending(20), 10);
    assert.deepEqual([...counters.holdingRules()], []);
  });

  it("are not changed through a read-only view", () => {
    const counters = createCounters();
    readOnly(counters).set("a", ending(10), 0);
    assert.equal(counters.get("a", 0), undefined);
  });
});
