// The header Retry-After: digits or an HTTP-date of RFC 9110, and nothing that a lenient parser of dates finds in a text.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readRetryAfter } from "./retry-after.ts";

/** Sat, 14 Nov 2026 12:00:00 GMT */
const NOW = 1_794_657_600_000;
const DAY_MS = 86_400_000;

test("seconds, and a date in each of the three forms that RFC 9110 has", () => {
  for (const [text, wait] of [
    ["0", 0],
    [" 120 ", 120_000],
    ["007", 7_000],
    ["Sat, 14 Nov 2026 12:02:00 GMT", 120_000],
    ["Saturday, 14-Nov-26 12:02:00 GMT", 120_000],
    ["Sat Nov 14 12:02:00 2026", 120_000],
    ["Sun Dec  6 12:00:00 2026", 22 * DAY_MS],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0],
    ["Sunday, 06-Nov-94 08:49:37 GMT", 0],
    ["Sun Nov  6 08:49:37 1994", 0],
  ] as const) {
    assert.equal(readRetryAfter(text, NOW), wait, text);
  }
});

test("anything else is ignored", () => {
  for (const text of [
    "3600.5",
    "-1",
    "+60",
    "1e3",
    "0x10",
    "60s",
    "60, 60",
    "soon",
    "2026-11-14",
    "2026-11-14T12:02:00Z",
    "14 Nov 2026 12:02:00 GMT",
    "Sat, 14 Nov 2026 12:02:00",
    "Sat, 14 Nov 2026 12:02:00 UTC",
    "Sat, 14 Nov 2026 12:02:00 +0000",
    "Sat, 31 Nov 2026 12:02:00 GMT",
    "Sun, 14 Nov 2026 12:02:00 GMT",
    "Sat, 14 Nov 2026 25:02:00 GMT",
    "sat, 14 nov 2026 12:02:00 gmt",
    "Sat, 4 Nov 2026 12:02:00 GMT",
    "",
    " ",
    "\u0661\u0662",
  ]) {
    assert.equal(readRetryAfter(text, NOW), null, JSON.stringify(text));
  }
  assert.equal(readRetryAfter(null, NOW), null);
  assert.equal(readRetryAfter(undefined, NOW), null);
});

test("no wait is longer than a year", () => {
  for (const text of ["9".repeat(20), "9".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"]) {
    assert.equal(readRetryAfter(text, NOW), 366 * DAY_MS, text);
  }
});
