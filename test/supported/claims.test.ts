// Each endpoint of the specification names a test that exists. Whether it passes is shown by `npm run proof`, which takes minutes.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SPECIFICATION } from "./claims.ts";

const ROOT = join(import.meta.dirname, "../..");

/** A test in a suite is named `suite > test`. */
function isIn(file: string, name: string): boolean {
  const path = join(ROOT, file);
  return existsSync(path) && readFileSync(path, "utf8").includes(`"${name.split(" > ").at(-1)}"`);
}

test("each endpoint of the specification names a test that exists", () => {
  const missing = SPECIFICATION.filter((claim) => !isIn(claim.file, claim.test));
  assert.deepEqual(
    missing.map(({ endpoint, file, test: name }) => `${endpoint}: ${file} has no test "${name}"`),
    [],
  );
});
