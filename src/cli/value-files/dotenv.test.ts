// The parser of `.env` files: what people write means what Node.js takes it for, and what is no assignment is refused by its line.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEnv } from "node:util";
import { threadMs } from "../../../test/harness/thread-time.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { parseDotenv } from "./dotenv.ts";
import { parseShell } from "./shell-text.ts";

const parse = (text: string) => Object.fromEntries(parseDotenv(".env", text));

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
  assert.deepEqual(parse("A=1\r\nB='x\r\ny'  # z\r\n"), { A: "1", B: "x\ny" });
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

test("a large file is read in a moment", () => {
  const lines = Array.from({ length: 20_000 }, (_, at) => `V_${at}=${"v".repeat(30)}\n`).join("");
  const texts = [lines, `A=x${" ".repeat(50_000)}y\n`];
  const ms = threadMs(() => {
    for (const text of texts) parseDotenv(".env", text);
    parseShell("env.sh", lines);
  });
  assert.ok(ms < 1_500, `${ms} ms`);
});
