import assert from "node:assert/strict";
import { test } from "node:test";
import { numberOf } from "./numbers.ts";
import { TimeLimitError, withTimeLimit } from "./time-limit.ts";

test("a number is the same in every notation that applications read", () => {
  const same: readonly (readonly [number, string])[] = [
    [
      5_000,
      "5000 +5000 5e3 5E+3 5000. 0005000 5_000 0x1388 0X13_88 0o11610 0b1001110001000 .5e4 50000e-1 \uff15\uff10\uff10\uff10",
    ],
    [
      5_000,
      "\u0665\u0660\u0660\u0660 \u{1d7d3}\u{1d7ce}\u{1d7ce}\u{1d7ce} 5\u0966\u0966\u0966 \ua8d5\ua8d0\ua8d0\ua8d0",
    ],
    [9, "9 \u{1d7d7} \u{1d7e1} \u{1d7eb} \u{1d7f5} \u{1d7ff} \uff19 \u06f9 \u{1fbf9}"],
    [0, "0 -0 \u{1d7ce} \u{1d7f6} \uff10"],
    [-0.5, "-0.5 -.5 -5e-1 -00.50"],
    [Number.POSITIVE_INFINITY, "Infinity inf INF +infinity 1e999"],
    [Number.NEGATIVE_INFINITY, "-inf -Infinity"],
  ];
  for (const [number, texts] of same) for (const text of texts.split(" ")) assert.ok(numberOf(text) === number, text);
  for (const text of [" 5000", "5000\n", "\u00a05000\u3000", "\u001f5000", "\t+5000 "])
    assert.equal(numberOf(text), 5_000);
});

test("anything else is no number", () => {
  for (const text of [
    "",
    " ",
    "-",
    ".",
    "e5",
    "1e",
    "0x",
    "0b2",
    "0o8",
    "+-5",
    "5 0",
    "1__0",
    "_1",
    "1_",
    "5,0",
    "5x",
    "NaN",
    "\u00b2",
  ])
    assert.ok(Number.isNaN(numberOf(text)), text);
});

test("a long number in other digits is bounded in time", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => (now += 10));
  assert.throws(() => withTimeLimit(() => numberOf("\u0665".repeat(100_000))), TimeLimitError);
});
