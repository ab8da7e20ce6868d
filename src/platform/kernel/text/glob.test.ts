// Globs against a second implementation, by regular expressions.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createGlob } from "./glob.ts";

/** Few characters, so that patterns often fit. */
const letters = (...more: string[]) =>
  fc.array(fc.constantFrom("a", "b", "/", ":", "😀", ...more), { maxLength: 8 }).map((all) => all.join(""));

const naive = (pattern: string, oneStar: string) =>
  new RegExp(
    `^${pattern.replaceAll(/\*\*|\*|[^*]/g, (token) => (token === "**" ? "[^]*" : token === "*" ? oneStar : token.replace(/[\\^$.|?+()[\]{}]/, "\\$&")))}$`,
  );

test("a glob means the whole text, and one star stops at separators where there are some", () => {
  fc.assert(
    fc.property(letters("*", "*", "."), letters("*", "."), (pattern, text) => {
      assert.equal(createGlob(pattern, "/:")(text), naive(pattern, "[^/:]*").test(text));
      assert.equal(createGlob(pattern)(text), naive(pattern, "[^]*").test(text));
    }),
    { numRuns: 5_000 },
  );
});

test("a hostile pattern ends, as a backtracking one would not", () => {
  assert.equal(createGlob("a**".repeat(150), "/:")(`${"a".repeat(1_000)}b:`.slice(0, 1_001)), true);
  assert.equal(createGlob(`${"a**".repeat(150)}c`)("a".repeat(1_024)), false);
  assert.equal(createGlob(`*${"a".repeat(50_000)}b`)("a".repeat(100_000)), false);
});
