// `npm test`: the whole suite, on SQLite and then on PostgreSQL (a real server from npm, or the one that
// REEVE_TEST_DATABASE_URL names). Arguments narrow it to files whose path contains one of them;
// `--engine sqlite|postgres` to one engine. A whole run also holds the answers that it saw against the contracts.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { run } from "node:test";
import { dot } from "node:test/reporters";
import { findContradictions } from "./answer-log.ts";
import { installClients } from "./clients/install.ts";
import { startPostgres } from "./postgres-server.ts";

// Of one file: what takes longer hangs.
const FILE_TIMEOUT_MS = 300_000;

interface Totals {
  passed: number;
  failed: number;
}

/** Runs the files in processes of their own, as many at a time as there are cores; prints failures in full. */
async function runSuite(engine: string, files: readonly string[], totals: Totals): Promise<void> {
  if (files.length === 0) return;
  console.log(`\n== ${engine}: ${files.length} files`);
  process.env["REEVE_TEST_ENGINE"] = engine;
  const events = run({
    files: files.map((file) => resolve(file)),
    concurrency: availableParallelism(),
    timeout: FILE_TIMEOUT_MS,
  });
  // A file that ends before its tests do says why on its standard error alone.
  const failedFiles = new Set<string | undefined>();
  events.on("test:fail", ({ file }) => failedFiles.add(file));
  const complaints: { readonly file: string; readonly message: string }[] = [];
  events.on("test:stderr", (complaint) => complaints.push(complaint));
  events.on("test:summary", ({ file, counts }) => {
    if (file !== undefined) return;
    totals.passed += counts.passed;
    totals.failed += counts.tests - counts.passed;
  });
  for await (const text of events.compose(dot)) process.stdout.write(text as string);
  for (const { file, message } of complaints) if (failedFiles.has(file)) process.stderr.write(message);
}

const args = process.argv.slice(2);
const engineAt = args.indexOf("--engine");
const engines = engineAt < 0 ? ["sqlite", "postgres"] : args.splice(engineAt, 2).slice(1);
const isWholeSuite = args.length === 0 && engines.length === 2;
const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { exclude: ["**/node_modules/**"] })
  .filter((file) => args.length === 0 || args.some((part) => file.includes(part)))
  .toSorted();
// What never touches a database behaves the same on both engines and runs once.
const onBothEngines = files.filter((file) => /(?:harness|started-app|world)\.ts"/.test(readFileSync(file, "utf8")));

if (files.some((file) => file.startsWith("test/clients/"))) installClients();

const answerLog = mkdtempSync(join(tmpdir(), "reeve-answers-"));
process.env["REEVE_TEST_ANSWER_LOG"] = answerLog;
const totals: Totals = { passed: 0, failed: 0 };
try {
  if (engines.includes("sqlite")) await runSuite("sqlite", files, totals);
  if (engines.includes("postgres") && onBothEngines.length > 0) {
    const server = await startPostgres();
    process.env["REEVE_TEST_DATABASE_URL"] = server.url;
    try {
      await runSuite("postgres", onBothEngines, totals);
    } finally {
      await server.stop();
    }
  }
  const contradictions = findContradictions(answerLog, isWholeSuite);
  if (contradictions.length > 0) {
    console.log(`\n== answers and contracts\n${contradictions.join("\n")}`);
    totals.failed += contradictions.length;
  }
} finally {
  rmSync(answerLog, { recursive: true, force: true });
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
// Said outright: the exit hook of the PostgreSQL package would end the process with 0 whatever `exitCode` says.
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);
