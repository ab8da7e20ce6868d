// Rules on the text of the sources, which no linter has.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

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
