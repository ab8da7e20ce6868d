// The program that tests start, and the writer thread of an app within a test: never older than the code beside the test.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "../..");

/** Whether test/run.ts, which builds dist/ first, runs this file. */
const isOfSuite = process.env["REEVE_TEST_SCRATCH"] !== undefined;

function newestOf(patterns: readonly string[]): number {
  const files = globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/*.test.ts"] });
  return Math.max(...files.map((file) => statSync(join(ROOT, file)).mtimeMs));
}

function isFresh(file: string): boolean {
  const sources = ["build.ts", "package-lock.json", "{src,console,bin}/**/*.{ts,tsx,css,html,js}"];
  return isOfSuite || (existsSync(file) && statSync(file).mtimeMs >= newestOf(sources));
}

/** A file of dist/. A test file that runs alone builds it again where sources are newer. */
export function builtFile(name: string): string {
  const file = join(ROOT, "dist", name);
  if (!isFresh(file)) execFileSync(process.execPath, [join(ROOT, "build.ts")], { stdio: "inherit" });
  return file;
}

const BUILT_WRITER = join(ROOT, "dist/writer.js");

/** Loading the writer from its sources takes most of the start time of an app, and building it longer: it is the built one unless sources are newer. */
export const WRITER = pathToFileURL(isFresh(BUILT_WRITER) ? BUILT_WRITER : join(ROOT, "src/serve/writer.ts"));
