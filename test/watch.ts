// `npm run test:watch FILE`: runs a test file, and again after each change of sources and tests. Node's own watching sends messages to the
// threads of the program, which takes them for its own.
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { watch } from "node:fs";
import { join } from "node:path";

/** What an editor saves together is one change, ms. */
const SETTLE_MS = 100;
const ROOT = join(import.meta.dirname, "..");

if (process.argv.length === 2) {
  console.error("name the test files: npm run test:watch -- FILE...");
  process.exit(2);
}

const env = { ...process.env };
env["NODE_COMPILE_CACHE"] ??= join(ROOT, "node_modules/.cache/compile-tests");

let running: ChildProcess | undefined;
function run(): void {
  running?.kill("SIGKILL");
  const args = ["--test", "--test-isolation=none", ...process.argv.slice(2)];
  running = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    running?.kill("SIGKILL");
    process.exit(0);
  });
}

let due: NodeJS.Timeout | undefined;
for (const folder of ["src", "test"]) {
  watch(join(ROOT, folder), { recursive: true }, (_event, file) => {
    if (!/\.(?:ts|json)$/.test(file ?? "")) return;
    clearTimeout(due);
    due = setTimeout(run, SETTLE_MS);
  });
}
run();
