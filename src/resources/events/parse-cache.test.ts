// Texts are read once each, and what is kept of them is bounded by their length.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ParseCache } from "./parse-cache.ts";

test("a text is read once, until those that are kept are too long together", () => {
  const read: string[] = [];
  const cache = new ParseCache((text) => {
    read.push(text);
    return [text.length];
  }, 100);
  const [short, long] = ["a".repeat(40), "b".repeat(60)];
  for (const text of [short, long, short, long]) assert.deepEqual(cache.get(text), [text.length]);
  assert.deepEqual(read, [short, long]);
  // One character too many: only the newest is still known.
  for (const text of ["c", "c", short, "c"]) cache.get(text);
  assert.deepEqual(read, [short, long, "c", short]);
});
