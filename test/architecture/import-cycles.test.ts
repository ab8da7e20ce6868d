// No file imports itself through others: by values, by types, or by what it loads later, which the linter does not follow.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { countDependents, findCycles } from "./imports.ts";

const ROOT = join(import.meta.dirname, "../..");
test("no imports of the product go round", () => {
  const files = globSync(["src/**/*.ts", "console/**/*.{ts,tsx}"], { cwd: ROOT, exclude: ["**/node_modules/**"] });
  const texts = Object.fromEntries(files.map((file) => [file, readFileSync(join(ROOT, file), "utf8")]));
  assert.ok(files.includes("console/main.tsx") && files.includes("src/contracts.ts"));
  assert.deepEqual(findCycles(texts), []);
});

test("a planted cycle of each kind is found", () => {
  const back: Readonly<Record<string, string>> = {
    value: 'import { one } from "../one.tsx";\n',
    "value of several lines": 'import {\n  one,\n  two,\n} from "../one.tsx";\n',
    type: 'import type { One } from "../one.tsx";\n',
    export: 'export { one } from "../one.tsx";\n',
    effect: 'import "../one.tsx";\n',
    dynamic: 'export const load = async () => (await import("../one.tsx")).one;\n',
  };
  for (const [kind, text] of Object.entries(back)) {
    const texts = {
      "console/main.ts": 'import { one } from "./one.tsx";\n',
      "console/one.tsx": 'import { two } from "./pages/two.ts";\n',
      "console/pages/two.ts": `import { leaf } from "./leaf.ts";\n${text}`,
      "console/pages/leaf.ts": "export const leaf = 1;\n",
    };
    assert.deepEqual(findCycles(texts), ["console/one.tsx", "console/pages/two.ts"], kind);
    assert.deepEqual(findCycles({ ...texts, "console/pages/two.ts": "" }), [], kind);
  }
});

test("more files depend on a file than on any that imports it", () => {
  const dependents = countDependents({
    "src/contract.ts": "export const contract = 1;\n",
    "src/service.ts": 'import type { contract } from "./contract.ts";\n',
    "src/service.test.ts": 'import { service } from "./service.ts";\n',
    "console/page.tsx": 'import type { contract } from "../src/contract.ts";\n',
  });
  const files = ["src/contract.ts", "src/service.ts", "src/service.test.ts", "console/page.tsx"];
  assert.deepEqual(files.map(dependents), [3, 1, 0, 0]);
});
