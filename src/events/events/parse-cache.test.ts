// The cache parses each text once, and is bounded by the length of the texts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ParseCache } from "./enqueue.ts";

test("a text is parsed once, until the cached texts exceed the bound", () => {
  const read: string[] = [];
  const cache = new ParseCache((text) => {
    read.push(text);
    return [text.length];
  }, 100);
  const [short, long] = ["a".repeat(40), "b".repeat(60)];
  for (const text of [short, long, short, long]) assert.deepEqual(cache.get(text), [text.length]);
  assert.deepEqual(read, [short, long]);
  // One character too many: only the newest text is still cached.
  for (const text of ["c", "c", short, "c"]) cache.get(text);
  assert.deepEqual(read, [short, long, "c", short]);
});
