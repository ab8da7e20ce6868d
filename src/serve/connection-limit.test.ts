import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

const MODULE = new URL("connection-limit.ts", import.meta.url).href;

test("the limit of open files is found on Linux, and without /proc", () => {
  const program = `import(${JSON.stringify(MODULE)}).then(({ openFileLimit }) =>
    console.log(openFileLimit(), openFileLimit("/nowhere"), process.report.excludeNetwork))`;
  const told = execFileSync("sh", ["-c", 'ulimit -n 300 && exec "$@"', "sh", process.execPath, "--eval", program]);
  assert.equal(told.toString(), "300 300 false\n");
});
