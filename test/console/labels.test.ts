// Documentation writes what one presses or opens in the console in italics. What the console does not say is a place that nobody finds.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
const read = (pattern: string) =>
  globSync(pattern, { cwd: ROOT }).map((name) => readFileSync(join(ROOT, name), "utf8"));
/** Between spaces or punctuation, beginning with a capital letter; words with `_` inside are names of variables. */
const LABEL = /(?<![\w`/"=])_([A-Z][^_`\n]*(?:\n[^_`\n]+)?)_(?![\w`])/g;

test("every label in italics is one of the console, or of the pages without script", () => {
  const said = [...read("console/**/*.{ts,tsx}"), ...read("src/identity/pages/**/*.ts")].join("\n");
  const labels = read("{README,docs/*}.md")
    .flatMap((text) => [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(LABEL)])
    .map(([, label = ""]) => label.replace("\n", " "));
  assert.ok(labels.length > 3, "the pattern finds no labels");
  assert.deepEqual(
    labels.filter((label) => !new RegExp(`(?<![\\w])${RegExp.escape(label)}(?![\\w])`).test(said)),
    [],
  );
});
