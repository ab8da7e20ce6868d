// The size of JSON on its bytes is never less than that of the value that JSON.parse makes of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { measureJson } from "./json-size.ts";
import type { JsonSize } from "./json-size.ts";

const sizeOf = (text: string) => measureJson(Buffer.from(text));

/** The same of a parsed value, by walking it. */
function walk(value: unknown): JsonSize {
  if (typeof value !== "object" || value === null) return { values: 1, members: 0, containers: 0, depth: 0 };
  const inner = Object.values(value).map(walk);
  return {
    values: 1 + inner.reduce((sum, { values }) => sum + values, 0),
    members: (Array.isArray(value) ? 0 : inner.length) + inner.reduce((sum, { members }) => sum + members, 0),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
  };
}

test("values, members and levels are counted as they are written", () => {
  const cases: readonly (readonly [text: string, values: number, members: number, depth: number])[] = [
    ["1", 1, 0, 0],
    ['"[{:,}]"', 1, 0, 0],
    [String.raw`"\\"`, 1, 0, 0],
    [String.raw`["\"", "\\\"", "\\", 1]`, 5, 0, 1],
    [" [ ] ", 1, 0, 1],
    ["[[],{}]", 3, 0, 2],
    ['{"a":{"b":[1,2,[3]]},"c":null}', 8, 3, 4],
    ['{"a":1,"a":[2]}', 4, 2, 2],
    ['[\n\t[\r\n] , "x" ]', 3, 0, 2],
  ];
  for (const [text, values, members, depth] of cases) {
    const containers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").replaceAll(/[^[{]/g, "").length;
    assert.deepEqual(sizeOf(text), { values, members, containers, depth }, text);
  }
});

const spaces = fc.array(fc.constantFrom(" ", "\n", "\t", "\r"), { maxLength: 2 }).map((parts) => parts.join(""));
const strings = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc
    .array(
      fc.constantFrom(
        String.raw`\"`,
        String.raw`\\`,
        String.raw`\u005c`,
        String.raw`\u0022`,
        "{",
        "[",
        ":",
        ",",
        "é",
        "😀",
      ),
      {
        maxLength: 5,
      },
    )
    .map((parts) => `"${parts.join("")}"`),
);
const scalars = fc.oneof(strings, fc.constantFrom("1", "-0.5e+7", "true", "false", "null"));
/** JSON as people and programs write it, with spaces, escapes and duplicate names. */
const { text: texts } = fc.letrec<{ text: string }>((tie) => {
  const spaced = fc.tuple(spaces, tie("text"), spaces).map((parts) => parts.join(""));
  const names = fc
    .tuple(spaces, fc.oneof(strings, fc.constantFrom('"a"', '"b"')), spaces)
    .map((parts) => parts.join(""));
  return {
    text: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      scalars,
      fc.tuple(spaces, fc.array(spaced, { maxLength: 4 })).map(([space, items]) => `[${items.join(",") || space}]`),
      fc
        .tuple(spaces, fc.array(fc.tuple(names, spaced), { maxLength: 4 }))
        .map(([space, members]) => `{${members.map(([name, value]) => `${name}:${value}`).join(",") || space}}`),
    ),
  };
});

function assertNotLess(text: string): void {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  const [counted, parsed] = [sizeOf(text), walk(value)];
  const isEnough = (["values", "members", "containers", "depth"] as const).every(
    (what) => counted[what] >= parsed[what],
  );
  assert.ok(isEnough, JSON.stringify({ text, counted, parsed }));
  const hasDuplicates = counted.members > parsed.members;
  if (!hasDuplicates) assert.deepEqual(counted, parsed, text);
}

test("no JSON is counted as less than JSON.parse makes of it", () => {
  fc.assert(fc.property(texts, assertNotLess), { numRuns: 5_000 });
});

test("no damaged text that JSON.parse still accepts is counted as less", () => {
  const damage = fc.record({
    text: texts,
    at: fc.nat(200),
    length: fc.nat(3),
    inserted: fc.string({
      unit: fc.constantFrom("[", "]", "{", "}", ":", ",", '"', "\\", " ", "\n", "1", "\u0000", "\ufeff", "é"),
      maxLength: 3,
    }),
  });
  fc.assert(
    fc.property(damage, ({ text, at, length, inserted }) =>
      assertNotLess(text.slice(0, at) + inserted + text.slice(at + length)),
    ),
    { numRuns: 20_000 },
  );
});

test("counting stops where there is too much", () => {
  assert.equal(measureJson(Buffer.from("[1,2,3,4,5]"), 3).values, 4);
  assert.equal(measureJson(Buffer.from("[".repeat(1_000)), Infinity, 5).depth, 6);
});
