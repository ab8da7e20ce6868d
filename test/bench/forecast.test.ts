// The arithmetic of the forecast: queues against values that textbooks give, and what follows from doubling.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assumed, forecast } from "../../bench/forecast.ts";
import type { EngineCosts, MeasuredCosts } from "../../bench/forecast.ts";
import { meanWait, utilisation, waitChance, waitQuantile } from "../../bench/queueing.ts";

function isNear(actual: number, expected: number, tolerance = 1e-6): void {
  assert.ok(Math.abs(actual - expected) <= tolerance * Math.abs(expected), `${actual} instead of ${expected}`);
}

test("one server: the chance to wait is its utilisation, and the mean wait ρ/(μ-λ)", () => {
  const queue = { arrivals: 6, service: 0.1, servers: 1 };
  isNear(utilisation(queue), 0.6);
  isNear(waitChance(queue), 0.6);
  isNear(meanWait(queue), 0.6 / (10 - 6));
  // Of those who wait, e^-(μ-λ)t wait longer than t.
  isNear(0.6 * Math.exp(-4 * waitQuantile(queue, 0.99)), 0.01);
});

test("several servers: Erlang's C", () => {
  // Two servers: C = 2ρ²/(1+ρ).
  isNear(waitChance({ arrivals: 15, service: 0.1, servers: 2 }), (2 * 0.75 ** 2) / 1.75);
  // An offered load of 8 erlang on 10 servers: the tables have 0.409.
  isNear(waitChance({ arrivals: 80, service: 0.1, servers: 10 }), 0.409, 1e-3);
  // Half of all do not wait at all here, so half of them wait no time.
  assert.equal(waitQuantile({ arrivals: 80, service: 0.1, servers: 10 }, 0.5), 0);
});

test("thousands of servers are planned for, and a full queue never ends", () => {
  const many = { arrivals: 9_500, service: 1, servers: 10_000 };
  assert.ok(waitChance(many) > 0 && waitChance(many) < 1e-4);
  for (const arrivals of [10, 11]) {
    const full = { arrivals, service: 0.1, servers: 1 };
    assert.equal(waitChance(full), 1);
    assert.equal(meanWait(full), Infinity);
    assert.equal(waitQuantile(full, 0.99), Infinity);
  }
});

const engine = (reeve: number, database: number): EngineCosts => ({
  read: { reeve, database },
  write: { reeve: 4 * reeve, database: 4 * database },
  delivery: { reeve: 2 * reeve, database: 2 * database },
});
const COSTS: MeasuredCosts = {
  sqlite: engine(0.000_1, 0),
  postgres: engine(0.000_2, 0.000_1),
  lagMs: { p50: 2, p99: 10 },
  eventBytes: 1_000,
};
/** 2.5 calls a second of an owner in the busiest one: two reads, half a write, and a delivery of each write's event. */
const ASSUMED = {
  ...assumed(),
  readsPerOwnerPerDay: 86_400,
  writesPerOwnerPerDay: 21_600,
  peakFactor: 2,
  eventsPerWrite: 1,
  webhooksPerOwner: 1,
  receiverMs: 100,
  utilisation: 0.5,
  databaseCores: 8,
};

test("rates, cores and bytes are what the assumptions multiply to", () => {
  const found = forecast(COSTS, ASSUMED, 1_000);
  isNear(found.reads, 2_000);
  isNear(found.writes, 500);
  isNear(found.deliveries, 500);
  isNear(found.fileCores, 2_000 * 0.000_1 + 500 * 0.000_4 + 500 * 0.000_2);
  assert.equal(found.fitsOneFile, true);
  // One core's worth of CPU, of which half is planned for.
  isNear(found.databaseCores, 0.5);
  assert.equal(found.processes, 2);
  assert.equal(found.primaries, 1);
  assert.equal(found.connectionsPerPrimary, 42);
  // 250 writes a second in the mean of a day, an event each.
  isNear(found.gigabytesPerYear, (250 * 86_400 * 365 * 1_000) / 1e9);
});

test("what is too much for a file and for a database is said so", () => {
  assert.equal(forecast(COSTS, ASSUMED, 1_001).fitsOneFile, false);
  const large = forecast(COSTS, ASSUMED, 100_000);
  isNear(large.databaseCores, 50);
  // 8 cores each, half of them planned for.
  assert.equal(large.primaries, 13);
  assert.equal(large.processes, 200);
  assert.equal(large.connectionsPerPrimary, 21 * Math.ceil(200 / 13));
});

test("deliveries to slow receivers need places, however little CPU they take", () => {
  const slow = { ...ASSUMED, receiverMs: 60_000, slotsPerProcess: 1_000 };
  // 500 deliveries a second for a minute are 30 000 in flight; 500 slots of each process are planned for.
  assert.equal(forecast(COSTS, slow, 1_000).processes, 60);
});

test("the lag is the calm one, the wait, and the other process's look where there is one", () => {
  const alone = forecast(COSTS, ASSUMED, 100);
  assert.equal(alone.processes, 1);
  const serving = { arrivals: 300, service: 0.1 / 300, servers: 1 };
  const storing = { arrivals: 300, service: 0.05 / 300, servers: 8 };
  isNear(alone.lagP50Ms, 2 + (meanWait(serving) + meanWait(storing)) * 1_000);
  const two = forecast(COSTS, ASSUMED, 1_000);
  assert.ok(two.lagP50Ms > 2 + ASSUMED.pollMs / 4, "of two processes, half have to look");
  assert.ok(two.lagP99Ms > two.lagP50Ms);
});
