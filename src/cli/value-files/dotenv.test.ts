// The parser of `.env` files: what Reeve writes comes back exactly, what people write means what Node.js takes it for, and what is no
// assignment is refused by its line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEnv } from "node:util";
import fc from "fast-check";
import { renderEnvText } from "../../kernel/text/env-text.ts";
import { Failure } from "../failure.ts";
import { parseDotenv } from "./dotenv.ts";

const parse = (text: string) => Object.fromEntries(parseDotenv(".env", text));

test("what Reeve writes is read back exactly, with and without export", () => {
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/).filter((one) => one !== "__proto__");
  const char = fc.oneof(
    fc.constantFrom("'", '"', "`", "$", "\\", "#", " ", "=", "\n", "\t", "n"),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
  );
  const value = fc.string({ unit: char, maxLength: 30 }).filter((one) => !one.includes("\r"));
  fc.assert(
    fc.property(
      fc.dictionary(name, value, { noNullPrototype: true }),
      fc.constantFrom("", "export "),
      (values, prefix) => {
        assert.deepEqual(parse(renderEnvText(Object.entries(values), prefix)), values);
      },
    ),
  );
});

test("files that people write mean what Node.js takes them for", () => {
  const text = [
    "# a comment",
    "",
    "PLAIN=some words  # and a comment",
    "EMPTY=",
    "  SPACED  =  value  ",
    "export EXPORTED=1",
    'DOUBLE="two words" # comment',
    "SINGLE='$HOME # no comment'",
    'BREAK="a\\nb"',
    'LINES="first',
    'second"',
    'TICKS=`it\'s "quoted"`',
    "URL=postgres://u:p@h/db?a=b",
  ].join("\n");
  assert.deepEqual(parse(text), { ...parseEnv(text) });
  assert.equal(parse(text)["LINES"], "first\nsecond");
  assert.deepEqual(parse("\uFEFFA=1\r\nB='x'\r\n"), { A: "1", B: "x" });
});

test("a line that is no assignment is refused by its number, without what is on it", () => {
  const wrong = {
    "A=1\nsecret words\n": "line 2: expected NAME=value, a comment or nothing",
    "A='open\nB=2": "line 1: expected the value of A to end with the quote that begins it",
    'A="x" hidden': "line 1: expected nothing behind the quoted value of A",
    "A=pass#word": "line 1: expected quotes around the value of A, because it has a #",
    "A=1\n\nA=2": "line 3: expected A once, it is there before",
  };
  for (const [text, message] of Object.entries(wrong)) {
    assert.throws(
      () => parse(text),
      (error) => error instanceof Failure && error.exit === "usage" && error.message === `.env, ${message}`,
    );
  }
});
