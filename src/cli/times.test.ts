// Times in tables, as people say them, and on the command line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readExpiry, sayTime } from "./times.ts";

const NOW = Date.UTC(2026, 10, 27, 12);
const MINUTE = 60_000;

test("a time is said by its distance, and by its date where that is more than a month", () => {
  for (const [distance, said] of [
    [0, "just now"],
    [-59_999, "just now"],
    [59_999, "in a moment"],
    [-MINUTE, "1 minute ago"],
    [-59 * MINUTE, "59 minutes ago"],
    [-60 * MINUTE, "1 hour ago"],
    [-47 * 60 * MINUTE, "1 day ago"],
    [-48 * 60 * MINUTE, "2 days ago"],
    [3 * 60 * MINUTE, "in 3 hours"],
    [30 * 1_440 * MINUTE, "in 30 days"],
    [31 * 1_440 * MINUTE, "2026-12-28"],
    [-400 * 1_440 * MINUTE, "2025-10-23"],
  ] as const) {
    assert.equal(sayTime(NOW + distance, NOW), said);
  }
});

test("a day that the calendar does not have is refused, and not taken for a later one", () => {
  assert.equal(readExpiry("2028-02-29", NOW), Date.UTC(2028, 1, 29));
  assert.equal(readExpiry("2030-01-31T12:00+02:00", NOW), Date.UTC(2030, 0, 31, 10));
  for (const text of ["2030-02-29", "2030-02-30", "2030-04-31T12:00Z", "2030-00-01", "3600.5", "2030-1-1"]) {
    assert.throws(() => readExpiry(text, NOW), /^Failure: --expires: expected 90m/, text);
  }
});
