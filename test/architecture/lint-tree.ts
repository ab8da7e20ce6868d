// Runs the linter, as it is set up here, on trees of made-up files.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "reeve-architecture-"));
after(() => rmSync(folder, { recursive: true, force: true }));

interface Finding {
  readonly code: string;
  readonly filename: string;
}

/** Lints a tree that consists of the given files and returns `file: rule` of every finding. */
export function lint(files: Readonly<Record<string, string>>): Set<string> {
  const tree = mkdtempSync(join(folder, "tree-"));
  for (const name of [".oxlintrc.json", "test/architecture/import-boundaries.ts", "test/architecture/order.ts"]) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    copyFileSync(join(root, name), join(tree, name));
  }
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  const oxlint = join(root, "node_modules/oxlint/bin/oxlint");
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, "--format", "json"], { cwd: tree, encoding: "utf8" });
  assert.ok(stdout.startsWith("{"), `oxlint did not run: ${stdout}${stderr}`);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Finding[] };
  return new Set(diagnostics.map(({ code, filename }) => `${filename}: ${code}`));
}
