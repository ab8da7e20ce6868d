// The order of the folders: it names each of them, and no import goes up.
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findViolation } from "./import-boundaries.ts";
import { ORDER } from "./order.ts";

const SRC = join(import.meta.dirname, "../../src");
/** What is one folder for everybody else. */
const WHOLE = ["gate", "serve", "client", "cli"];

test("the order names every folder once", () => {
  const folders = globSync(["contracts.ts", "*/", "*/*/"], { cwd: SRC }).map((path) => path.replace(/\/$/, ""));
  const areas = new Set(ORDER.map((folder) => folder.split("/")[0]));
  const isNamed = (path: string) =>
    WHOLE.includes(path) ||
    path === "contracts.ts" ||
    (path.includes("/") && !WHOLE.includes(path.split("/")[0] ?? ""));
  assert.deepEqual(ORDER.filter((folder) => folder !== "cli/bodies").toSorted(), folders.filter(isNamed).toSorted());
  // An area has no files of its own but for its README.
  assert.deepEqual(
    globSync("*", { cwd: SRC }).filter((path) => !areas.has(path)),
    [],
  );
  assert.deepEqual(
    globSync(`{${[...areas].filter((area) => !WHOLE.includes(area ?? "")).join(",")}}/*.ts`, { cwd: SRC }),
    [],
  );
});

test("every import of a later folder is refused", () => {
  const fileIn = (folder: string) => (folder.endsWith(".ts") ? folder : `${folder}/thing.ts`);
  for (const [rank, from] of ORDER.entries()) {
    for (const to of ORDER.slice(rank + 1)) {
      assert.notEqual(findViolation(fileIn(from), fileIn(to), "value"), null, `${from} -> ${to}`);
    }
  }
});
