import assert from "node:assert/strict";
import { test } from "node:test";
import { formatEnvText, parseEnvText } from "../../console/parts/env-text.ts";

const valuesOf = (text: string) =>
  Object.fromEntries(parseEnvText(text).entries.map(({ name, value }) => [name, value]));

test("lines of NAME=VALUE are read, with comments, quotes and values of several lines", () => {
  const text = `\uFEFF# a comment
PLAIN=one two   # not part of it
  
export SHELL_STYLE = spaced
HASH=a#b
EMPTY=
SINGLE='as $it \\n is' # comment
DOUBLE="line\\nbreak, \\"quoted\\", back\\\\slash, \\$HOME"
EXPRESSION="^\\d+\\.\\w+$"
  INDENTED=x
KEY="-----BEGIN-----
abc
-----END-----"
dotted.name-1=x\r
LAST=end`;
  assert.deepEqual(parseEnvText(text).problems, []);
  assert.deepEqual(valuesOf(text), {
    PLAIN: "one two",
    SHELL_STYLE: "spaced",
    HASH: "a#b",
    EMPTY: "",
    SINGLE: "as $it \\n is",
    DOUBLE: 'line\nbreak, "quoted", back\\slash, $HOME',
    EXPRESSION: "^\\d+\\.\\w+$",
    INDENTED: "x",
    KEY: "-----BEGIN-----\nabc\n-----END-----",
    "dotted.name-1": "x",
    LAST: "end",
  });
});

test("what is no assignment is named by its line, and nothing is guessed", () => {
  const { entries, problems } = parseEnvText('A=1\nnot a line\nB="open\nC=2\na=3\n=x\nD="x" y\n');
  assert.deepEqual(
    entries.map(({ name, line }) => [name, line]),
    [
      ["A", 1],
      ["C", 4],
    ],
  );
  assert.deepEqual(problems, [
    { line: 2, reason: "form" },
    { line: 3, reason: "quote" },
    { line: 5, reason: "twice" },
    { line: 6, reason: "form" },
    { line: 7, reason: "quote" },
  ]);
});

test("whatever the values are, the text of entries is read as these entries", () => {
  const values = [
    "",
    "plain",
    " spaces ",
    "#hash",
    'q"uote',
    "q'uote",
    "back\\slash",
    "a\nb\r\nc\td",
    "$x",
    "ä€😀",
    "\\n",
    "=",
  ];
  const entries = values.map((value, at) => ({ name: `N_${at}`, value }));
  const read = parseEnvText(formatEnvText(entries));
  assert.deepEqual(read.problems, []);
  assert.deepEqual(
    read.entries.map(({ name, value }) => ({ name, value })),
    entries,
  );
});

test("a large text is read in time that grows with its length", () => {
  const lines = 20_000;
  const text = Array.from({ length: lines }, (_, at) => `N_${at}="value ${at}"\n`).join("");
  const started = process.cpuUsage();
  parseEnvText(text);
  const { user } = process.cpuUsage(started);
  assert.ok(user < 2_000_000, `${user} us of CPU`);
});
