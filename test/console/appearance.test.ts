// Pages outside of the console and mails have their colours and their mark from a table: it says what the console's files say.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { COLOURS, MARK_FILE } from "../../src/platform/kernel/appearance.ts";

const CONSOLE = join(import.meta.dirname, "../../console");
const tokens = readFileSync(join(CONSOLE, "style/tokens.css"), "utf8");

/** What a token is in light and in dark; one that refers to another has its values. */
function readToken(name: string): readonly [string, string] {
  const value = new RegExp(`^\\s*--${name}:\\s*([^;]+);`, "m").exec(tokens)?.[1] ?? "";
  const [, light = value, dark = value] = /^light-dark\((#\w+), (#\w+)\)$/.exec(value) ?? [];
  return [light, dark];
}

for (const [name, colours] of Object.entries(COLOURS)) {
  test(`--${name} is the colour that the console has`, () => assert.deepEqual(colours, readToken(name)));
}

test("the mark is the console's icon", () => {
  assert.equal(MARK_FILE, readFileSync(join(CONSOLE, "favicon.svg"), "utf8").trim());
});
