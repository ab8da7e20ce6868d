import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compilePattern, MAX_PATTERN_SIZE, PatternError } from "./pattern.ts";
import { threadMs } from "../../../../test/harness/thread-time.ts";

function refusal(text: string): string {
  try {
    compilePattern(text);
  } catch (error) {
    assert.ok(error instanceof PatternError, String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: `${text} was compiled` });
}

describe("expressions", () => {
  it("match anywhere, and ignore case unless they say otherwise", () => {
    assert.equal(compilePattern("ad+min").test("/x/ADDMIN/y"), true);
    assert.equal(compilePattern("^/admin").test("/x/admin"), false);
    assert.equal(compilePattern("(?-i)admin").test("ADMIN"), false);
    assert.equal(compilePattern("(?-i)admin").test("x-admin"), true);
    assert.equal(compilePattern("").test(""), true);
    assert.equal(compilePattern("strasse$").test("STRASSE\n"), false);
  });

  it("have a size", () => {
    assert.ok(compilePattern("a{100}").size > 100);
    assert.ok(compilePattern("abc").size < 10);
  });

  it("say what is not supported, and why", () => {
    for (const [text, words] of [
      ["a(?=b)", /lookahead \(\(\?=\).*linear time/],
      ["a(?!b)", /lookahead/],
      ["(?<=a)b", /lookbehind/],
      ["(?<!a)b", /lookbehind/],
      ["(a)\\1", /reference to a group \(\\1\)/],
      ["(?<n>a)\\k<n>", /reference to a group/],
      ["(?>a)", /atomic group/],
      ["a++", /possessive/],
      ["a{2}+", /possessive/],
      ["(?(1)a)", /depends on another/],
    ] as const) {
      assert.match(refusal(text), /^expected an RE2 expression: /, text);
      assert.match(refusal(text), words, text);
    }
  });

  it("say what is wrong, and show where", () => {
    assert.match(refusal("a("), /missing closing \) \(a\(\)$/);
    assert.match(refusal("[z-a]"), /invalid character class range \(z-a\)/);
    assert.match(refusal("*"), /missing argument to repetition operator/);
    assert.match(refusal("a\\"), /trailing backslash/);
    assert.match(refusal("a{1001}"), /at most 1000 repetitions/);
    assert.match(refusal(`${"(".repeat(2_000)}${")".repeat(2_000)}`), /nests too deeply/);
  });

  it("are rejected before compilation when their program would be too large", () => {
    assert.match(refusal(`[${"[:".repeat(100_000)}]`), /at most 4096 characters/);
    const ms = threadMs(() => {
      for (const text of [
        "(\\w|\\d){999}",
        "a{1000}".repeat(73),
        "\\w{1,999}".repeat(56),
        `(?:${"a".repeat(500)}){1000}`,
        "(?:a{0,30}){0,33}".repeat(30),
        `(?:\\Q${"{9}".repeat(150)}\\E){1000}`,
        "[]{9}]{1000}[^][:alpha:]]{1000}\\p{Greek}{1000}",
      ]) {
        assert.match(refusal(text), new RegExp(`at most ${MAX_PATTERN_SIZE} instructions`), text);
      }
    });
    assert.ok(ms < 500, `${ms} ms`);
    // Text that only looks like a repetition is not one.
    compilePattern("\\{999}\\{999}\\{999}[{999}]{2}\\Q{999}\\E[]{999}{999}{999}]\\p{Lu}");
  });

  it("count their classes, which take long to compile, and are rejected before that", () => {
    assert.ok(compilePattern("[^\\x00-\\x7f][a-z][\\x80-\\xff]\\w[^/]").size < 20);
    assert.ok(compilePattern("\\pL").size > 50);
    assert.ok(compilePattern("[\u4e00-\u9fff]").size > 300);
    assert.ok(compilePattern("[\\x80-\\x{10ffff}]").size > 1_000);
    const ms = threadMs(() => {
      for (const text of [
        `[${"B-\u{1e942}".repeat(120)}]`,
        "[B-\\x{1e942}]".repeat(39),
        `[-B-\u{1e942}--\\x{1e942}\\102-\u{1e942}]`,
        "\\pL".repeat(160),
        `[${"\\p{Greek}\\PN".repeat(30)}]`,
      ]) {
        assert.match(refusal(text), /fewer or smaller classes/, text);
      }
    });
    assert.ok(ms < 500, `${ms} ms`);
  });
});
