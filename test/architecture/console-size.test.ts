// What a browser loads for the console, compressed: the first page, and each further one.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { builtFile } from "../harness/program.ts";

const FOLDER = dirname(builtFile("console/index.html"));
const FIRST_BYTES = 135_000;
const FURTHER_BYTES = 25_000;
const EDITOR_BYTES = 110_000;
const POPUPS_BYTES = 120_000;

const size = (name: string) => readFileSync(join(FOLDER, "assets", `${name}.gz`)).length;
const named = (text: string) => [...text.matchAll(/[\w-]+-[\w-]{8}\.(?:js|css)/g)].map(([name]) => name);
const sum = (names: Iterable<string>) => [...names].reduce((bytes, name) => bytes + size(name), 0);

/** A file and all that it imports without waiting for anything. */
function withImports(name: string, seen = new Set<string>()): Set<string> {
  if (seen.has(name) || !name.endsWith(".js")) return seen.add(name);
  seen.add(name);
  const text = readFileSync(join(FOLDER, "assets", name), "utf8");
  for (const [, imported = ""] of text.matchAll(/(?:from|import)\s*["']\.\/([^"']+)["']/g)) withImports(imported, seen);
  return seen;
}

const start = new Set(
  named(readFileSync(join(FOLDER, "index.html"), "utf8")).flatMap((name) => [...withImports(name)]),
);
const pages = readdirSync(join(FOLDER, "assets")).filter((name) => /-page-[\w-]{8}\.js$/.test(name));

/** What waits until it is needed: its bytes, unless a page or the start loads it with itself. */
function bytesOfLate(file: RegExp): number {
  const name = readdirSync(join(FOLDER, "assets")).find((one) => file.test(one)) as string;
  assert.equal(start.has(name) || pages.some((page) => withImports(page).has(name)), false);
  return sum([...withImports(name)].filter((one) => !start.has(one)));
}

test("the first page of the console is small", () => {
  const home = pages.find((name) => name.startsWith("home-page-")) as string;
  const bytes = sum(new Set([...start, ...withImports(home)]));
  assert.ok(bytes > 50_000 && bytes <= FIRST_BYTES, `${bytes} bytes`);
});

test("each further page is smaller still", () => {
  assert.ok(pages.length > 5, "they are files of their own");
  for (const page of pages) {
    const bytes = sum([...withImports(page)].filter((name) => !start.has(name)));
    assert.ok(bytes <= FURTHER_BYTES, `${page}: ${bytes} bytes`);
  }
});

test("the editor for long texts is loaded on demand, and no larger than it may be", () => {
  const bytes = bytesOfLate(/^code-editor-[\w-]{8}\.js$/);
  assert.ok(bytes > 50_000 && bytes <= EDITOR_BYTES, `${bytes} bytes`);
});

test("what opens above pages is loaded late, and no larger than it may be", () => {
  const bytes = bytesOfLate(/^headless-[\w-]{8}\.js$/);
  assert.ok(bytes > 30_000 && bytes <= POPUPS_BYTES, `${bytes} bytes`);
});
