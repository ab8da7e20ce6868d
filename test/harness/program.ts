// The program that tests start, and the writer thread of an app within a test: never older than the code beside the test.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Whether test/run.ts, which builds dist/ first, runs this file. */
const isOfSuite = process.env["REEVE_TEST_SCRATCH"] !== undefined;

function newestOf(patterns: readonly string[]): number {
  const files = globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/*.test.ts"] });
  return Math.max(...files.map((file) => statSync(join(ROOT, file)).mtimeMs));
}

/** A file of dist/. A test file that runs alone builds it again where sources are newer. */
export function builtFile(name: string): string {
  const file = join(ROOT, "dist", name);
  const sources = ["build.ts", "package-lock.json", "{src,console,bin}/**/*.{ts,tsx,css,html,js}"];
  if (!isOfSuite && (!existsSync(file) || statSync(file).mtimeMs < newestOf(sources))) {
    execFileSync(process.execPath, [join(ROOT, "build.ts")], { stdio: "inherit" });
  }
  return file;
}

/** Loading the writer from its sources takes most of the start time of an app, so the suite takes the built one. */
export const WRITER = new URL(isOfSuite ? "../../dist/writer.js" : "../../src/server/writer.ts", import.meta.url);
