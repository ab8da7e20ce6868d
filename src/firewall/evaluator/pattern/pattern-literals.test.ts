import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { compilePattern, findPattern, PatternError } from "./pattern.ts";
import { requiredLiterals } from "./pattern-literals.ts";
import { foldLower } from "../request/values.ts";

const PIECES = [
  ..."abksABKS/.-{}()|*+?^$[]\\0123,:=".split(""),
  ..."(?: (?i) (?-i) (?s: (?<n> \\. \\d \\b \\x41 \\Q \\E \\pL \\p{Lu}".split(" "),
  ..."{2} {0} {0,1} {1,} {,2} {01} [ab] [^a] []k] [[:alpha:]] [: :] \\101 ab sk".split(" "),
];
const UNITS = "abksABKS\u017f\u212a/.{}0123,-=\n\u00e4".split("");

describe("the required literals of an expression", () => {
  it("are its longest literal, or one for each alternative", () => {
    for (const [expression, literals] of [
      ["^/api/v5/[a-z0-9]+/(?:edit|show)$", ["/api/v5/"]],
      ["\\.php$", [".php"]],
      ["(?:curl|Wget)/", ["curl", "wget"]],
      ["foo?bar", ["bar"]],
      ["(?:ab){0}cd", ["cd"]],
      ["(?<n>abc)*yz", ["yz"]],
      ["(?i)Select\\s+From", ["select"]],
      ["[^]ab]cd[[:alpha:]]efg", ["efg"]],
      ["[[:a]bcd", ["bcd"]],
      ["(ab|cd)+", ["ab", "cd"]],
      ["ab|", null],
      ["a.b", null],
      ["\\x41bc", null],
      ["\\Qabc\\E", null],
      ["\u00e4bc", ["bc"]],
    ] as const) {
      compilePattern(expression);
      assert.deepEqual(requiredLiterals(expression), literals, expression);
    }
  });

  it("are in every text that the expression matches", () => {
    const piece = fc.constantFrom(...PIECES);
    const texts = fc.array(fc.string({ unit: fc.constantFrom(...UNITS), maxLength: 12 }), {
      minLength: 8,
      maxLength: 8,
    });
    const expressions = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join(""));
    let found = 0;
    fc.assert(
      fc.property(expressions, texts, (expression, all) => {
        try {
          compilePattern(expression);
        } catch (error) {
          assert.ok(error instanceof PatternError, String(error));
          return;
        }
        const plain = RE2JS.compile(expression, RE2JS.CASE_INSENSITIVE);
        for (const text of [...all, expression, expression.replaceAll(/[^\w/]/g, ""), "ab", "sk", "AB\u017fK"]) {
          const isFound = plain.test(text);
          if (isFound && requiredLiterals(expression)) found++;
          assert.equal(
            findPattern(expression).isFound(text, foldLower(text.toLowerCase())),
            isFound,
            `${expression} in ${text}`,
          );
        }
      }),
      { numRuns: 5_000 },
    );
    assert.ok(found > 250, `only ${found} finds`);
  });
});
