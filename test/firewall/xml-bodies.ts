// Generates XML in the forms that parsers read in ways of their own: texts in pieces, texts around elements, attributes with white space,
// line ends and references, byte order marks.
import fc from "fast-check";
import { WORDS } from "./pools.ts";

const SPACES = ["", "", " ", "\n", "\r\n", "\t"] as const;
const BETWEEN = ["", "<!-- a -->", "<!--<q>one</q>-->", "<?a b?>", "<![CDATA[]]>", "<q/>", "<q>two</q>"] as const;
/** How a word is written. */
const TEXT_MANNERS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => word,
  (word) => `<![CDATA[${word}]]>`,
  (word) => word.replace(/^[a-z]/i, (letter) => `&#${letter.charCodeAt(0)};`),
  (word) => word.replace(/[a-z]$/i, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`),
  (word) => word.replace(/[a-z](?=.)/i, "$&<!-- -->"),
  (word) => word.replace(/[a-z](?=.)/i, "$&<b/>"),
  (word) => `&#32;${word}`,
  (word) => `&lt;${word}`,
];
const ATTRIBUTE_MANNERS: readonly ((word: string) => string)[] = [
  (word) => word,
  (word) => word.replace(/^[a-z]/i, (letter) => `&#x${letter.charCodeAt(0).toString(16)};`),
  (word) => word.replace(" ", "\n"),
  (word) => word.replace(" ", "\r\n"),
  (word) => word.replace(" ", "\t"),
  (word) => word.replace(" ", "&#10;"),
  (word) => `&#32;${word}`,
  (word) => `${word}\u00a0`,
];
const written = (manners: readonly ((word: string) => string)[]) =>
  fc
    .tuple(
      fc.constantFrom(...SPACES),
      fc.constantFrom(...WORDS),
      fc.constantFrom(...manners),
      fc.constantFrom(...SPACES),
    )
    .map(([before, word, write, behind]) => before + write(word) + behind);

const content = fc
  .array(fc.tuple(written(TEXT_MANNERS), fc.constantFrom(...BETWEEN)), { maxLength: 3 })
  .map((pieces) => pieces.flat().join(""));
const attributes = fc.oneof(
  { weight: 2, arbitrary: fc.constant("") },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(" q=", " p:q =\n"), fc.constantFrom('"', "'"), written(ATTRIBUTE_MANNERS))
      .map(([name, quote, value]) => name + quote + value + quote),
  },
);
const element = (inner: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom("a", "a", "p:a", "q"), attributes, inner)
    .map(([name, more, text]) => `<${name}${more}>${text}</${name}>`);

/** Documents, of which a few are not well-formed. */
export const xmlBodies: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(
      "",
      "",
      "",
      "\ufeff",
      "\ufeff\ufeff",
      " ",
      "<?xml version='1.0'?>",
      "<?xml version='1.0' encoding='utf-8'?>",
      "<?xml version='1.0' encoding='ISO-8859-1'?>",
      "<!-- -->\n",
      "<!DOCTYPE a>",
    ),
    fc.oneof({ weight: 3, arbitrary: element(content) }, { weight: 1, arbitrary: element(element(content)) }),
    fc.constantFrom("", "", "", "\n", "<!-- -->", "x"),
  )
  .map((pieces) => pieces.join(""));
