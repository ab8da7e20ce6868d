// Two texts, line by line.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareLines } from "../../console/pages/secrets/compare-lines.ts";

const SIGNS = { same: " ", old: "-", new: "+" } as const;
const shown = (before: string, after: string) =>
  compareLines(before, after).map(({ kind, text }) => SIGNS[kind] + text);

test("lines that both have stay, and others are named as old and new", () => {
  assert.deepEqual(shown("a\nb\nc", "a\nc"), [" a", "-b", " c"]);
  assert.deepEqual(shown("a\nc", "a\nb\nc"), [" a", "+b", " c"]);
  assert.deepEqual(shown("a\nb\nc\nd", "a\nx\nc\ny"), [" a", "-b", "+x", " c", "-d", "+y"]);
  assert.deepEqual(shown("a", "b"), ["-a", "+b"]);
  assert.deepEqual(shown("a", "a"), [" a"]);
});

test("whatever the texts are, both can be read off, also where they are long", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "c", ""), { minLength: 1, maxLength: 12 })
    .map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = compareLines(before, after);
      const read = (other: "old" | "new") =>
        lines
          .filter(({ kind }) => kind !== other)
          .map(({ text: line }) => line)
          .join("\n");
      assert.deepEqual([read("new"), read("old")], [before, after]);
    }),
  );
  const long = (from: number) => Array.from({ length: 1_500 }, (_, at) => `${from + at}`).join("\n");
  assert.equal(compareLines(`a\n${long(0)}`, `a\n${long(5_000)}`).length, 3_001);
});
