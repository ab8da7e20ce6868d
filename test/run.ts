// `npm test`: the whole suite, on SQLite and then on PostgreSQL (a real server from npm, or the one that
// REEVE_TEST_DATABASE_URL names). Arguments narrow it to files whose path contains one of them;
// `--engine sqlite|postgres` to one engine. A whole run also holds the answers that it saw against the contracts.
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { run } from "node:test";
import { dot } from "node:test/reporters";
import { pathToFileURL } from "node:url";
import { findContradictions } from "./answer-log.ts";
import { readEvidence } from "./evidence.ts";
import { installLocked } from "./install.ts";
import { startPostgres } from "./postgres-server.ts";
import { findUntrueClaims } from "./supported/table.ts";

/** Of a long run (faults.ts): how long a process may take; what its tests print is shown. */
const longMinutes = process.env["REEVE_TEST_LONG_MINUTES"];
// Of one process: what takes longer hangs.
const PROCESS_TIMEOUT_MS = Number(longMinutes ?? 15) * 60_000;
// Starting takes most files longer than their tests do, so the short ones of src/ share a process.
const FILES_PER_PROCESS = 8;
// Files that take longer are named, so that whoever wants the suite to be faster knows where to begin.
const SLOW_S = 15;
// Beyond the cores: a third of the suite's time is waiting for servers and clocks.
const WAITING_PROCESSES = 1;

interface Totals {
  passed: number;
  failed: number;
}

/** What lies under test/ starts and stops much, and a double of the timers would be everybody's. */
function sharesProcess(file: string): boolean {
  return file.startsWith("src/") && !readFileSync(file, "utf8").includes("mock.timers");
}

/**
 * A program that runs several files. Its tests wait until all are loaded, since a runner with nothing left to do ends;
 * and one test that ends the process does not pass for all of them.
 */
function renderProgram(files: readonly string[]): string {
  const imports = files.map((file) => `  await import(${JSON.stringify(pathToFileURL(file))});\n`);
  return `import { after, before } from "node:test";
const loaded = Promise.withResolvers();
let isDone = false;
before(() => loaded.promise);
after(() => (isDone = true));
process.on("exit", () => isDone || (process.exitCode = 1));
try {
${imports.join("")}  loaded.resolve();
} catch (error) {
  console.error(error);
  process.exit(1);
}
`;
}

/** Programs that run the files, written to `scratch` where they run several. */
function programsFor(files: readonly string[], scratch: string): string[] {
  const shared = files.filter(sharesProcess);
  const programs = files.filter((file) => !shared.includes(file)).map((file) => resolve(file));
  for (let from = 0; from < shared.length; from += FILES_PER_PROCESS) {
    const program = join(scratch, `${from}.mjs`);
    writeFileSync(program, renderProgram(shared.slice(from, from + FILES_PER_PROCESS)));
    programs.push(program);
  }
  return programs;
}

/** Runs the files, a few processes at a time; prints failures in full. */
async function runSuite(engine: string, files: readonly string[], scratch: string, totals: Totals): Promise<void> {
  if (files.length === 0) return;
  console.log(`\n== ${engine}: ${files.length} files`);
  process.env["REEVE_TEST_ENGINE"] = engine;
  const events = run({
    files: programsFor(files, scratch),
    concurrency: availableParallelism() + WAITING_PROCESSES,
    timeout: PROCESS_TIMEOUT_MS,
  });
  if (longMinutes !== undefined) events.on("test:stdout", ({ message }) => process.stdout.write(message));
  // A file that ends before its tests do says why on its standard error alone.
  const failedFiles = new Set<string | undefined>();
  events.on("test:fail", ({ file }) => failedFiles.add(file));
  const complaints: { readonly file: string; readonly message: string }[] = [];
  events.on("test:stderr", (complaint) => complaints.push(complaint));
  const times: { readonly file: string; readonly seconds: number }[] = [];
  events.on("test:summary", ({ file, counts, duration_ms: ms }) => {
    if (file !== undefined) {
      times.push({ file: relative(".", file), seconds: ms / 1000 });
      return;
    }
    totals.passed += counts.passed;
    totals.failed += counts.tests - counts.passed;
  });
  for await (const text of events.compose(dot)) process.stdout.write(text as string);
  for (const { file, message } of complaints) if (failedFiles.has(file)) process.stderr.write(message);
  const slowest = times.filter(({ seconds }) => seconds > SLOW_S).toSorted((a, b) => b.seconds - a.seconds);
  for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(0).padStart(5)} s  ${file}`);
}

const args = process.argv.slice(2);
const engineAt = args.indexOf("--engine");
const engines = engineAt < 0 ? ["sqlite", "postgres"] : args.splice(engineAt, 2).slice(1);
const isWholeSuite = args.length === 0 && engines.length === 2;
const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { exclude: ["**/node_modules/**"] })
  .filter((file) => args.length === 0 || args.some((part) => file.includes(part)))
  .toSorted();
// What is about PostgreSQL alone says so in its name; what never touches a database, and what others' clients make of answers,
// is the same on both engines. They run once.
const isAboutPostgres = (file: string) => basename(file).startsWith("postgres-");
const isAboutClients = (file: string) => file.startsWith("test/clients/");
const touchesDatabase = (file: string) => /(?:harness|started-app|world)\.ts"/.test(readFileSync(file, "utf8"));
const filesOn = {
  sqlite: files.filter((file) => !isAboutPostgres(file)),
  postgres: files.filter((file) => isAboutPostgres(file) || (touchesDatabase(file) && !isAboutClients(file))),
};

// The public clients weigh 900 MB. `overrides` there replaces what vercel 64 asks for and does not use here: a version of a
// dependency that the registry does not have, and programs of 160 MB, for which a tiny package stands in.
for (const folder of ["clients", "generators"]) {
  if (files.some((file) => file.startsWith(`test/${folder}/`))) installLocked(join(import.meta.dirname, folder));
}

// What tests start is what people install.
execFileSync(process.execPath, [join(import.meta.dirname, "../build.ts")], { stdio: "inherit" });

const scratch = mkdtempSync(join(tmpdir(), "reeve-suite-"));
process.env["REEVE_TEST_ANSWER_LOG"] = scratch;
process.env["REEVE_TEST_EVIDENCE"] ??= scratch;
// Kept for later runs, and in the checkout: in the folder for temporary files others could put code that this runs.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../node_modules/.cache/compile-tests");
const totals: Totals = { passed: 0, failed: 0 };
try {
  if (engines.includes("sqlite")) await runSuite("sqlite", filesOn.sqlite, scratch, totals);
  if (engines.includes("postgres") && filesOn.postgres.length > 0) {
    const server = await startPostgres();
    process.env["REEVE_TEST_DATABASE_URL"] = server.url;
    try {
      await runSuite("postgres", filesOn.postgres, scratch, totals);
    } finally {
      await server.stop();
    }
  }
  const contradictions = findContradictions(scratch, isWholeSuite);
  if (contradictions.length > 0) {
    console.log(`\n== answers and contracts\n${contradictions.join("\n")}`);
    totals.failed += contradictions.length;
  }
  if (isWholeSuite) {
    const untrue = findUntrueClaims(readEvidence(process.env["REEVE_TEST_EVIDENCE"]));
    if (untrue.length > 0) console.log(`\n== SUPPORTED.md\n${untrue.join("\n")}`);
    totals.failed += untrue.length;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;
