// Generates regular expressions that mean the same in RE2 and in JavaScript and take polynomial time in both: repetitions
// do not nest.
import fc from "fast-check";

const escape = (text: string) => text.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&");

const REPEATS = ["", "", "", "?", "*", "+", "{1,3}", "+?"] as const;

/** Expressions of parts of these texts. */
export function expression(pool: readonly string[]): fc.Arbitrary<string> {
  const part = fc
    .tuple(fc.constantFrom(...pool), fc.nat(5), fc.integer({ min: 1, max: 6 }))
    .map(([text, from, length]) =>
      escape(
        Array.from(text)
          .slice(from, from + length)
          .join(""),
      ),
    );
  const atom = fc.tuple(
    fc.constantFrom(".", "[a-z]", "[^/]", "\\d", "[A-M0-9]", "[k\\-/.]", "\\w", "\\s", "(?:one|/)"),
    fc.constantFrom(...REPEATS),
  );
  const piece = fc.oneof(
    { weight: 3, arbitrary: part },
    { weight: 2, arbitrary: atom.map(([what, repeat]) => what + repeat) },
    { weight: 1, arbitrary: fc.tuple(part, part).map(([a, b]) => `(?:${a}|${b})`) },
    { weight: 1, arbitrary: fc.constantFrom("\\b", "(one)?", "", "\\/") },
  );
  return fc
    .tuple(
      fc.constantFrom("", "", "", "(?-i)", "(?i)"),
      fc.constantFrom("", "", "^"),
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("", "", "$"),
    )
    .map(([flags, begin, pieces, end]) => `${flags}${begin}${pieces.join("")}${end}` || "a");
}
