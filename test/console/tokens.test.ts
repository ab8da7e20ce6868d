// Colours, sizes and durations of the console come from one file: a name that it does not have is a mistake that nobody sees.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const CONSOLE = join(import.meta.dirname, "../../console");
/** The names of columns, which tables set themselves, and the room for what opens above a page, which Base UI measures. */
const SET_BY_PARTS = /^--(column-\d|available-height|anchor-width)$/;

test("every token that the console names is one of its tokens", () => {
  const tokens = readFileSync(join(CONSOLE, "style/tokens.css"), "utf8");
  const defined = new Set([...tokens.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name as string));
  const missing = globSync(join(CONSOLE, "**/*.{css,ts,tsx}")).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/var\((--[\w-]+)/g)]
      .map(([, name]) => name as string)
      .filter((name) => !defined.has(name) && !SET_BY_PARTS.test(name))
      .map((name) => `${file.slice(CONSOLE.length + 1)}: ${name}`),
  );
  assert.ok(defined.size > 50);
  assert.deepEqual(missing, []);
});
