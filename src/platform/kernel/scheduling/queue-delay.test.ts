import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueueDelayPolicy } from "./queue-delay.ts";

test("short waits are always admitted", () => {
  const { admits } = createQueueDelayPolicy();
  for (let now = 0; now < 60_000; now += 100) assert.ok(admits(500, now));
});

test("longer waits are admitted as long as the burst ends within five seconds", () => {
  const { admits } = createQueueDelayPolicy();
  for (let now = 1_000; now < 5_000; now += 500) assert.ok(admits(6_000 - now, now));
  assert.ok(!admits(1_001, 5_000), "this one would finish after the limit of a burst");
  assert.ok(!createQueueDelayPolicy().admits(5_001, 1_000));
});

test("when waits stay long, only short waits are admitted, however long the overload lasts", () => {
  const { admits } = createQueueDelayPolicy();
  for (let now = 0; now <= 5_000; now += 100) admits(700, now);
  for (let now = 5_100; now < 60_000; now += 100) {
    assert.ok(!admits(501, now));
    assert.ok(admits(500, now));
  }
});

test("after a second without long waits another burst may begin", () => {
  const { admits } = createQueueDelayPolicy();
  for (let now = 0; now <= 8_000; now += 500) admits(2_000, now);
  assert.ok(!admits(2_000, 9_000));
  assert.ok(admits(2_000, 10_001));
});
