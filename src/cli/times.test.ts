// Times in tables, as people say them, and on the command line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTRACTS } from "../contracts.ts";
import type { Endpoint } from "../platform/kernel/contract.ts";
import { fieldsOf } from "./resources/fields.ts";
import { readTime, sayTime } from "./times.ts";

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

test("a time is a span from now, a date, a time or ms, and nothing else", () => {
  const read = (text: string, direction: "ahead" | "back") => readTime(text, "--when", direction, NOW);
  assert.deepEqual([read("30d", "ahead"), read("90m", "back")], [NOW + 30 * 1_440 * MINUTE, NOW - 90 * MINUTE]);
  for (const [text, expected] of [
    ["2028-02-29", Date.UTC(2028, 1, 29)],
    ["2030-01-31T12:00+02:00", Date.UTC(2030, 0, 31, 10)],
    ["2030-01-31T12:00", Date.UTC(2030, 0, 31, 12)],
    ["1767225600000", 1_767_225_600_000],
    ["0", 0],
  ] as const) {
    assert.deepEqual([read(text, "ahead"), read(text, "back")], [expected, expected], text);
  }
  for (const text of ["2030-02-29", "2030-02-30", "2030-04-31T12:00Z", "2030-00-01", "3600.5", "2030-1-1", "-1d", ""]) {
    assert.throws(() => read(text, "back"), /^Failure: --when: expected 90m, 12h, 30d ago, a date or a time/, text);
  }
});

test("a number that is no time in ms is refused with what was probably meant", () => {
  for (const [text, meant] of [
    ["30", "30d, 30h or 30m"],
    ["3600", "3600s"],
    ["2030", "2030-01-01"],
    ["1767225600", "1767225600000, in ms"],
  ] as const) {
    assert.throws(
      () => readTime(text, "--expires", "ahead", NOW),
      new RegExp(`^Failure: --expires: expected 90m, 12h, 30d from now, .*, got "${text}"; did you mean ${meant}\\?$`),
    );
  }
});

test("every time of the commands takes the same forms", () => {
  const wrong = CONTRACTS.flatMap((contract) => Object.entries<Endpoint>(contract)).flatMap(([id, endpoint]) =>
    fieldsOf(endpoint)
      .filter(({ name, kind }) => kind !== "time" && /(?:At|Until|Before|Timestamp)$|^(?:since|until)$/.test(name))
      .map(({ name }) => `${id} ${name}`),
  );
  assert.deepEqual(wrong, []);
});
