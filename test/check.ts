// `npm run check`: every check that takes at most a minute, and the first step of CI. Prints a line per step, and the output of
// failed steps. Arguments select steps by name.
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { countDependents } from "./architecture/imports.ts";

interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** Arranges the output of a failed step. */
  readonly arrange?: (output: string) => string;
}

/**
 * The linter's findings, first those of files on which most others depend: of what one wrong type causes, the true error is there. A
 * finding begins with `x` or `!` and names its place as `[FILE:LINE:COLUMN]`.
 */
function sortByDependents(output: string): string {
  const files = globSync("{src,console,tools,test,bench}/**/*.{ts,tsx}", { exclude: ["**/node_modules/**"] });
  const dependentsOf = countDependents(Object.fromEntries(files.map((file) => [file, readFileSync(file, "utf8")])));
  return output
    .split(/\n\n(?= *[x×!⚠] |Found )/)
    .map((text) => ({ text, dependents: dependentsOf(/\[([^[\]:]+):\d/.exec(text)?.[1] ?? "") }))
    .toSorted((a, b) => b.dependents - a.dependents)
    .map(({ text }) => text)
    .join("\n\n");
}

const node = process.execPath;
/** Before all others: with a stale table of operations dozens of files have errors, among which the true one is lost. */
const GENERATED: Step = { name: "generated", command: [node, "tools/generate.ts", "--check"] };
const STEPS: readonly Step[] = [
  GENERATED,
  // Next, since it takes longest.
  {
    name: "fast tests",
    command: [node, "test/run.ts", "--engine", "sqlite", "src/", "test/architecture", "test/store/"],
  },
  // The rules need every type, so the same pass reports what `tsc` would, of the console too.
  {
    name: "types and lint",
    command: ["oxlint", "--type-aware", "--type-check", "--deny-warnings"],
    arrange: sortByDependents,
  },
  { name: "format", command: ["oxfmt", "--check"] },
  { name: "unused code", command: ["knip"] },
  { name: "commits", command: [node, "test/commit-subjects.ts"] },
  { name: "openapi.json", command: ["redocly", "lint", "openapi.json"] },
];

const PATH = [join(import.meta.dirname, "../node_modules/.bin"), process.env["PATH"]].join(delimiter);

// Nothing here asks the network, not even for its own updates.
const ENVIRONMENT = { ...process.env, PATH, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off" };

/** Runs a step; returns whether it passed. */
async function runStep({ name, command, arrange }: Step): Promise<boolean> {
  const [program, ...args] = command as [string, ...string[]];
  const startedAt = performance.now();
  const child = spawn(program, args, { env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (bytes: Buffer) => output.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => output.push(bytes));
  const code = await new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name.padEnd(14)} ${seconds.padStart(5)} s`);
  const text = Buffer.concat(output).toString("utf8");
  if (code !== 0) console.log(arrange?.(text) ?? text);
  return code === 0;
}

const named = process.argv.slice(2);
const steps = STEPS.filter(({ name }) => named.length === 0 || named.some((part) => name.includes(part)));
if (steps.length === 0) {
  console.log(`no step has such a name; they are: ${STEPS.map(({ name }) => name).join(", ")}`);
  process.exit(1);
}
const queue = steps.filter((step) => step !== GENERATED);
const results: boolean[] = [];
if (steps.includes(GENERATED) && !(await runStep(GENERATED))) {
  console.log("run `npm run generate`, and check again");
  process.exit(1);
}
async function work(): Promise<void> {
  for (let step = queue.shift(); step; step = queue.shift()) results.push(await runStep(step));
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
const failed = results.filter((isPassed) => !isPassed).length;
console.log(failed === 0 ? "all passed" : `${failed} of ${steps.length} failed`);
process.exitCode = failed === 0 ? 0 : 1;
