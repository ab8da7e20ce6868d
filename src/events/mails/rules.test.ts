import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { plainName } from "./rules.ts";

test("a name keeps its readable text, and loses what would become a link", () => {
  for (const [name, shown] of [
    ["St. Mary's Hospital Inc.", "St. Mary's Hospital Inc."],
    ["Ünïted Ñames 東京", "Ünïted Ñames 東京"],
    ["R2-D2 & Söhne", "R2-D2 Söhne"],
    ["win at https://evil.example/login?a=b#c", "win at evil example login a b c"],
    ["evil.example", "evil example"],
    ["evil\u3002example", "evil example"],
    ["evil\uff0eexample", "evil example"],
    ["evil\u2024example", "evil example"],
    ["evil\uff0fexample", "evil example"],
    ["me@evil.example", "me evil example"],
    ["mailto:me", "me"],
    ["a\u200b.\u200bb", "a . b"],
    ["[text](http://x)", "text ( x)"],
    ["one\r\ntwo\u2028three\u202efour\u0007", "one two three four"],
    ["Call +1 555 0100 now", "Call +1 555 01** now"],
    ["\uff11\u2462\u0665 5 5 5 0100", "13\u0665 5 5 5 ****"],
    ["Class of 2026, room 12", "Class of 2026, room 12"],
    [" \u3164 ", ""],
    ["x".repeat(100), `${"x".repeat(39)}…`],
    ["👍".repeat(41), `${"👍".repeat(39)}…`],
  ] as const) {
    assert.equal(plainName(name), shown, JSON.stringify(name));
  }
});

test("any name becomes one short line that does not look like a link", () => {
  const parts = fc.constantFrom(
    ".",
    "/",
    ":",
    "@",
    "www",
    "https",
    "com",
    " ",
    "\n",
    "\u3002",
    "\uff0e",
    "\ufe52",
    "a",
    "5",
    "\u0665",
  );
  const name = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(parts).map((some) => some.join("")),
  );
  fc.assert(
    fc.property(name, (text) => {
      const shown = plainName(text);
      assert.ok(Array.from(shown).length <= 40);
      assert.ok((shown.match(/\p{N}/gu) ?? []).length <= 6);
      assert.doesNotMatch(shown, /[\p{C}\p{Zl}\p{Zp}:/\\@<>]|\.\S/u);
      assert.doesNotMatch(shown.normalize("NFKC"), /[:/\\@]|\.[^\s.]/u);
    }),
    { numRuns: 2_000 },
  );
});
