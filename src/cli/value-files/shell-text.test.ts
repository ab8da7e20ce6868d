// The parser of the shell's form: what it takes, a shell takes alike, and what a shell would run or replace is refused.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { Failure } from "../../platform/outcomes/failure.ts";
import { parseShell } from "./shell-text.ts";

const parse = (text: string) => Object.fromEntries(parseShell("env.sh", text));

test("values are what a shell takes them for", () => {
  const text = [
    "# a comment",
    "export V_PLAIN=a#b%c,d  # and a comment",
    "V_EMPTY=",
    "V_NONE= # a comment",
    `V_PIECES='it'\\''s'" \\"two\\" "\\$x`,
    'V_BREAK="a\\nb"',
    "V_LINES='first",
    "second'",
    'V_JOINED="a\\',
    'b"',
    "V_TILDE=a~b",
  ].join("\n");
  assert.deepEqual(parse(text), {
    V_PLAIN: "a#b%c,d",
    V_EMPTY: "",
    V_NONE: "",
    V_PIECES: `it's "two" $x`,
    V_BREAK: String.raw`a\nb`,
    V_LINES: "first\nsecond",
    V_JOINED: "ab",
    V_TILDE: "a~b",
  });
  assert.deepEqual(parse("A=1\r\nB=2\r\n"), { A: "1", B: "2" });
});

test("what a shell would run or replace is refused by its line, without what is on it", () => {
  const written = /^env\.sh, line 2: expected one value of A that is written out, in single quotes if a shell would/;
  for (const value of [
    "$(date)",
    "`date`",
    '"$HOME"',
    "$HOME",
    "x;rm",
    "x & y",
    "a b",
    "~/x",
    "a:~",
    "\\\n~/x",
    "a:\\\n~",
    "'open",
    '"a`b`"',
    "(a)",
    "x>y",
    "$'a'",
    "{a,b}",
    "*",
  ]) {
    assert.throws(
      () => parse(`B=1\nexport A=${value}`),
      (error) => error instanceof Failure && error.exit === "usage" && written.test(error.message),
      value,
    );
  }
  assert.throws(() => parse("A=1\nset -a\n"), /line 2: expected NAME=value, export NAME=value/);
  assert.throws(() => parse("A=1 B=2\n"), /line 1: expected one value of A/);
  assert.throws(() => parse("A=1\nA=2\n"), /line 2: expected A once/);
});

const PIECES = [
  "a",
  "=",
  ":",
  "~",
  "#",
  "'",
  '"',
  "\\",
  "$",
  "`",
  ";",
  " ",
  "\n",
  "{b,c}",
  "*",
  "[x]",
  "!",
  "?",
  "%",
  "&",
  "ä",
];

/** Null: refused. */
function parseOne(line: string): string | null {
  try {
    return parse(line)["V"] ?? null;
  } catch {
    return null;
  }
}

test("whatever is taken, sh and bash take for the same value", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-shell-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "env.sh");
  const words = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(""));
  let taken = 0;
  fc.assert(
    fc.property(fc.array(words, { minLength: 300, maxLength: 300 }), (all) => {
      const expected = new Map<string, string>();
      const lines = all.flatMap((word, at) => {
        const value = parseOne(`V=${word}\n\n`);
        if (value === null) return [];
        expected.set(`V_${at}`, value);
        return [`export V_${at}=${word}\n\n`];
      });
      taken += expected.size;
      writeFileSync(file, lines.join(""));
      for (const shell of ["sh", "bash"]) {
        const printed = execFileSync(shell, ["-c", '. "$0"; env -0', file], { env: { PATH: process.env["PATH"] } });
        const found = printed
          .toString()
          .split("\0")
          .flatMap((one) => /^(V_\d+)=([^]*)$/.exec(one)?.slice(1) ?? []);
        const seen = Object.fromEntries(
          Array.from({ length: found.length / 2 }, (_, at) => found.slice(2 * at, 2 * at + 2)),
        );
        assert.deepEqual(seen, Object.fromEntries(expected), shell);
      }
    }),
    { numRuns: 10, seed: 1, endOnFailure: true },
  );
  assert.ok(taken > 500, `${taken} were taken`);
});
