// Rules on the text of the sources, which no linter has.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ACCEPTED, TARGETS } from "../mutants/targets.ts";
import * as suites from "../suites.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const sources = globSync(["src/**/*.ts", "test/**/*.ts", "bench/**/*.ts", "tools/**/*.ts"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
}).map((name) => ({ name, text: readFileSync(join(root, name), "utf8") }));

/** Names of the files whose text matches, among those that `isMeant` selects. */
function filesWith(pattern: RegExp, isMeant: (name: string) => boolean = () => true): string[] {
  return sources.filter(({ name, text }) => isMeant(name) && pattern.test(text)).map(({ name }) => name);
}

test("no file only re-exports others", () => {
  // Programs import one module of the package.
  assert.deepEqual(filesWith(/^export\s+(?:type\s+)?(?:\*|\{[^}]*\}\s+from\b)/m), ["src/client/exports.ts"]);
  assert.deepEqual(
    sources.filter(({ name }) => name.endsWith("/index.ts")).map(({ name }) => name),
    [],
  );
});

test("no rule of the import table is evaded by a computed import or an exempting comment", () => {
  assert.deepEqual(
    filesWith(/\bimport\(\s*[`\w]/, (name) => name.startsWith("src/")),
    [],
  );
  assert.deepEqual(
    filesWith(/\bcreateRequire\b/, (name) => name.startsWith("src/")),
    ["src/platform/operations/validation.ts"],
  );
  assert.deepEqual(filesWith(/(?:oxlint|eslint)-disable.*(?:import-boundaries|no-cycle|max-lines|no-process-env)/), []);
  assert.deepEqual(filesWith(/(?:oxlint|eslint)-disable\s*(?:\*\/|$)/m), []);
});

test("only serve/config/config.ts reads the environment", () => {
  assert.deepEqual(
    filesWith(/process\s*\.\s*env\b|process\[["']env/, (name) =>
      /^src\/(?!serve\/config\/config\.ts$).*(?<!\.test\.ts)$/.test(name),
    ),
    [],
  );
});

test("no test is skipped, focused or left for later", () => {
  assert.deepEqual(
    filesWith(/\b(?:test|it|describe)\.(?:skip|only|todo)\b|\b(?:skip|todo): true/, (name) =>
      name.endsWith(".test.ts"),
    ),
    [],
  );
});

/** A pattern once for each of the words in its innermost braces. */
function alternativesOf(pattern: string): readonly string[] {
  const groups = [...pattern.matchAll(/\{([^{}]*)\}/g)];
  if (groups.length === 0) return [pattern];
  return groups.flatMap(({ 0: group, 1: words = "", index }) =>
    words.split(",").map((word) => pattern.slice(0, index) + word + pattern.slice(index + group.length)),
  );
}

test("each file that the lists of suites and of mutants name is there", () => {
  const { PROOF, ON_POSTGRES, POSTGRES_ONLY, SQLITE_ONLY, LONG_ONLY, ALONE, IN_TURN, LONG_RUNS } = suites;
  const patterns = [
    ...[PROOF, ON_POSTGRES, POSTGRES_ONLY, SQLITE_ONLY, LONG_ONLY, ALONE, IN_TURN].flat(),
    ...LONG_RUNS.map(({ pattern }) => pattern),
    ...TARGETS.flatMap(({ files, tests }) => [...files, ...tests]),
    ...ACCEPTED.map(({ file }) => file),
  ];
  const isNone = (pattern: string) => !sources.some(({ name }) => matchesGlob(name, pattern));
  assert.deepEqual(patterns.flatMap(alternativesOf).filter(isNone), []);
});
