// `npm test`, `npm run proof`, or both at once: runs test files with `node --test`, many of them in one process, on SQLite and on PostgreSQL (a
// real server from npm, or the one that REEVE_TEST_DATABASE_URL names). test/suites.ts says which files belong to which.
//   node test/run.ts [PATHPART...] [--engine sqlite|postgres]   files whose path contains a part, on one engine or both
//   node test/run.ts --all                                      all of npm test and npm run proof, so that processes wait for each other once
//   node test/run.ts --proof [--long | --supported]             the long versions of faults; what writes SUPPORTED.md
import { execFileSync, spawn } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, matchesGlob } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { findContradictions } from "./harness/response-log.ts";
import { readEvidence } from "./harness/evidence.ts";
import { installLocked } from "./harness/install.ts";
import { makeScratch } from "./harness/scratch.ts";
import { SQLITE_TEMPLATE, createSqliteTemplate } from "./harness/sqlite-template.ts";
import { startPostgres } from "./postgres/server.ts";
import { ALONE, IN_TURN, LONG_ONLY, LONG_RUNS, ON_POSTGRES, POSTGRES_ONLY, PROOF, SQLITE_ONLY } from "./suites.ts";
import { SPECIFICATION } from "./supported/claims.ts";
import { SUPPORTED_FILE, findUntrueClaims, renderSupported, type Suite } from "./supported/table.ts";

type Engine = "sqlite" | "postgres";

/** One process of `node --test`. */
interface Job {
  readonly name: string;
  readonly engine: Engine;
  readonly files: readonly string[];
  /** Which of the files it takes. */
  readonly shard: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly minutes: number;
  /** Waits until no other such job runs. */
  readonly isInTurn: boolean;
  /** Jobs of lower ranks begin first. */
  readonly rank: number;
}

/** Loading the program, and making its code fast, takes a quarter of the time of 20 files; what they start lives as long as the process. Those in turn, and the proof's, are long. */
const filesPerProcess = (suite: Suite, isInTurn: boolean) => (isInTurn ? 10 : suite === "npm test" ? 40 : 12);
/** What takes longer hangs: on a machine with much other work, forty files have taken fifteen. */
const PROCESS_MINUTES = 30;
/** A test that hangs fails alone: those after it in its process run. */
const TEST_MINUTES = 6;
/** More files than these that fail have one cause. A process that did not end counts as one. */
const MAX_SECOND_CHANCES = 12;
/** What Linux counts CPU time in, on every architecture. */
const TICKS_PER_SECOND = 100;
/** Beyond the cores: a process waits for servers, disks and clocks half of its time. With two more than cores these were idle for a fifth of it. */
const WAITING_PROCESSES = 3;

const { values: options, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean", default: false },
    proof: { type: "boolean", default: false },
    long: { type: "boolean", default: false },
    supported: { type: "boolean", default: false },
    engine: { type: "string" },
  },
});

const matches = (file: string, patterns: readonly string[]) => patterns.some((pattern) => matchesGlob(file, pattern));
const usesDatabase = (file: string) =>
  /(?:test-app|started-app|world|quiet-tenant)\.ts"/.test(readFileSync(file, "utf8"));
const canRunOn = (engine: Engine, file: string) =>
  engine === "sqlite"
    ? !matches(file, POSTGRES_ONLY)
    : matches(file, POSTGRES_ONLY) || (usesDatabase(file) && !matches(file, SQLITE_ONLY));
/** SUPPORTED.md names these beside the clients. */
const isEvidence = (file: string) =>
  file === "test/operations/responses.test.ts" ||
  file.startsWith("test/clients/") ||
  SPECIFICATION.some((claim) => claim.file === file);

const suites: readonly Suite[] = options.all
  ? ["npm test", "npm run proof"]
  : [options.proof ? "npm run proof" : "npm test"];

/** Whether what was asked for runs the file on this engine, in this suite. */
function isAsked(suite: Suite, engine: Engine, file: string): boolean {
  if (options.supported) return engine === "sqlite" && isEvidence(file);
  if (options.long) return LONG_RUNS.some(({ pattern }) => matchesGlob(file, pattern));
  if (parts.length > 0 && suites.length === 1 && suite === "npm test") return true;
  if (matches(file, LONG_ONLY)) return false;
  const isProof = matches(file, PROOF) || (engine === "postgres" && !matches(file, ON_POSTGRES));
  return (suite === "npm run proof") === isProof;
}

function jobsFor(suite: Suite, engine: Engine, files: readonly string[]): Job[] {
  const common = { engine, environment: {}, minutes: PROCESS_MINUTES };
  const isAlone = (file: string) => options.long || matches(file, ALONE);
  const isInTurn = (file: string) => matches(file, IN_TURN);
  const shared = files.filter((file) => !isAlone(file));
  // Those that wait for each other begin first, then those that take minutes, then whole processes of files: at the end no process works alone.
  const rankOf = (file: string) => (isInTurn(file) ? 0 : matches(file, POSTGRES_ONLY) ? 1 : 3);
  return [
    ...files.filter(isAlone).map((file) => ({
      ...common,
      name: file,
      files: [file],
      shard: "1/1",
      isInTurn: isInTurn(file),
      rank: rankOf(file),
      ...(options.long ? LONG_RUNS.find(({ pattern }) => matchesGlob(file, pattern)) : {}),
    })),
    ...[true, false].flatMap((inTurn) => {
      const together = shared.filter((file) => isInTurn(file) === inTurn);
      const shards = Math.ceil(together.length / filesPerProcess(suite, inTurn));
      const what = `${together.length} files${inTurn ? " in turn" : ""}`;
      return Array.from({ length: shards }, (_, at) => {
        const shard = `${at + 1}/${shards}`;
        const name = together.length === 1 ? together.join() : `${what}, part ${shard}`;
        return { ...common, name, files: together, shard, isInTurn: inTurn, rank: inTurn ? 0 : 2 };
      });
    }),
  ];
}

interface Failure {
  readonly job: Job;
  /** Tests of it. */
  readonly failed: number;
  /** Files with a test that failed; all of the job's when its process ended early, or the test is in a file that one of them imports. */
  readonly files: readonly string[];
  readonly output: string;
}

let cpuSeen = 0;
const totals = { passed: 0, failed: 0 };
const failures: Failure[] = [];

/** CPU seconds of the processes that have ended, of what they started too, but not of PostgreSQL; null where the system does not say. */
function cpuOfEnded(): number | null {
  if (!existsSync("/proc/self/stat")) return null;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Runs the files of a job in one process; prints a line, and the output of a failed job. Gives how many tests passed and failed. */
async function runJob(job: Job): Promise<readonly [passed: number, failed: number]> {
  const { name, engine, files, shard, environment, minutes } = job;
  const startedAt = performance.now();
  const limit = `--test-timeout=${(options.long ? minutes : TEST_MINUTES) * 60_000}`;
  const flags = ["--test", "--test-isolation=none", "--test-reporter=spec", `--test-shard=${shard}`, limit];
  // What Reeve prints for its own command follows these, and tests do not depend on who started the suite.
  const { npm_lifecycle_event: _event, INIT_CWD: _cwd, ...inherited } = process.env;
  const child = spawn(process.execPath, [...flags, ...files], {
    env: { ...environment, ...inherited, REEVE_TEST_ENGINE: engine },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: minutes * 60_000,
  });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  let cpu = "";
  child.on("exit", () => {
    const now = cpuOfEnded();
    if (now === null) return;
    cpu = ` ${(now - cpuSeen).toFixed(0).padStart(4)} s of CPU`;
    cpuSeen = now;
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const count = (kind: string) => Number(new RegExp(`^\\S+ ${kind} (\\d+)$`, "m").exec(stdout)?.[1] ?? 0);
  const [tests, passed] = [count("tests"), count("pass")];
  // A process that ends before its tests do has counted none of them.
  const failed = tests - passed || (code === 0 && passed > 0 ? 0 : 1);
  totals.passed += passed;
  totals.failed += failed;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  console.log(
    `${failed === 0 ? "ok  " : "FAIL"} ${engine.padEnd(8)} ${seconds} s${cpu} ${String(passed).padStart(4)}  ${name}`,
  );
  if (failed > 0) {
    const output = `${/^\S+ failing tests:$[^]*/m.exec(stdout)?.[0] ?? stdout} ${stderr}`;
    console.log(output);
    const named = [...output.matchAll(/^test at (.+):\d+:\d+$/gm)].map(([, file]) => file!);
    const isNamed = child.signalCode === null && named.length > 0 && named.every((file) => files.includes(file));
    failures.push({ job, failed, files: isNamed ? [...new Set(named)] : files, output });
  } else if (options.long) console.log(stdout);
  else for (const counts of stdout.match(/^counts: .*$/gm) ?? []) console.log(`     ${counts}`);
  return [passed, failed];
}

/** Runs the files that failed once more, alone; gives the failures that are none then, whose tests count as passed. */
async function runAgain(): Promise<readonly Failure[]> {
  const first = failures.splice(0);
  if (first.length > 0) console.log(`\n== once more, alone`);
  const mended: Failure[] = [];
  for (const failure of first) {
    const { job, files, failed } = failure;
    const again = files === job.files ? job : { ...job, name: files.join(" "), files, shard: "1/1" };
    const [passed, left] = await runJob(again);
    totals.failed -= failed;
    totals.passed += failed - left - passed;
    if (left === 0) mended.push(failure);
  }
  return mended;
}

const engines: readonly Engine[] = options.engine === undefined ? ["sqlite", "postgres"] : [options.engine as Engine];
const isWhole = parts.length === 0 && engines.length === 2 && !options.long && !options.supported;
const allFiles = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { exclude: ["**/node_modules/**"] }).toSorted();
const patterns = [
  ...PROOF,
  ...ON_POSTGRES,
  ...SQLITE_ONLY,
  ...ALONE,
  ...IN_TURN,
  ...LONG_ONLY,
  ...LONG_RUNS.map(({ pattern }) => pattern),
];
const stale = patterns.filter((pattern) => !allFiles.some((file) => matchesGlob(file, pattern)));
const files = allFiles.filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)));
const jobs = engines
  .flatMap((engine) => {
    const chosen = suites.map((suite) =>
      files.filter((file) => canRunOn(engine, file) && isAsked(suite, engine, file)),
    );
    if (chosen.flat().length > 0) console.log(`== ${engine}: ${chosen.flat().length} files`);
    // Each suite has its own processes, so that one that fails here does so in its suite.
    return chosen.flatMap((those, at) => jobsFor(suites[at] as Suite, engine, those));
  })
  .toSorted((one, other) => one.rank - other.rank);

// The public clients, and runtimes for our own, weigh 850 MB. A tiny package stands in for what `overrides` names there, which no test uses: 900
// packages that build sites, and programs of 160 MB. It also has a version of a dependency of vercel 64 that the registry does not have.
// The jobs of these folders are among the last, so none waits for it.
const uses = (folder: string) => (job: Job) => job.files.some((file) => file.startsWith(`test/${folder}/`));
/** What went wrong in each. */
const installations = ["clients", "generators"]
  .filter((folder) => jobs.some(uses(folder)))
  .map((folder) => {
    const complaints = installLocked(join(import.meta.dirname, folder)).then(
      () => [],
      (error: unknown) => [(error as Error).message],
    );
    return { isFor: uses(folder), complaints };
  });

// What tests start is what people install.
execFileSync(process.execPath, [join(import.meta.dirname, "../build.ts")], { stdio: "inherit" });

const scratch = makeScratch();
process.env["REEVE_TEST_SCRATCH"] = scratch;
process.env["TMPDIR"] = scratch;
process.env[SQLITE_TEMPLATE] = await createSqliteTemplate(scratch);
// Kept for later runs, and in the checkout: in the folder for temporary files others could put code that this runs.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "../node_modules/.cache/compile-tests");

let isTurnTaken = false;

/** The next job that may run; undefined when there is none, or the one that has the turn will take those that are left. */
function takeJob(): Job | undefined {
  const at = jobs.findIndex(({ isInTurn }) => !(isInTurn && isTurnTaken));
  return at < 0 ? undefined : jobs.splice(at, 1)[0];
}

/** Takes jobs until none is left. */
async function work(): Promise<void> {
  for (let job = takeJob(); job; job = takeJob()) {
    if (job.isInTurn) isTurnTaken = true;
    const complaints = (await installations.find(({ isFor }) => isFor(job))?.complaints) ?? [];
    complain(job.name, complaints);
    if (complaints.length === 0) await runJob(job);
    if (job.isInTurn) isTurnTaken = false;
  }
}

function complain(about: string, complaints: readonly string[]): void {
  if (complaints.length > 0) console.log(`\n== ${about}\n${complaints.join("\n")}`);
  totals.failed += complaints.length;
}

cpuSeen = cpuOfEnded() ?? 0;
let passedAlone: readonly Failure[] = [];
const server = jobs.some(({ engine }) => engine === "postgres") ? await startPostgres() : null;
Object.assign(process.env, server?.environment);
try {
  const processes = options.long ? 1 : availableParallelism() + WAITING_PROCESSES;
  await Promise.all(Array.from({ length: processes }, work));
  const failing = failures.flatMap(({ job, files: those }) => (those === job.files ? [job.name] : those)).length;
  if (process.env["REEVE_TEST_AGAIN"] === "1" && failing <= MAX_SECOND_CHANCES) passedAlone = await runAgain();
  complain("test/suites.ts: no file has such a name", stale);
  complain("responses and contracts", findContradictions(scratch, isWhole && !options.proof));
  if (isWhole) for (const suite of suites) complain("SUPPORTED.md", findUntrueClaims(suite, readEvidence(scratch)));
  if (options.supported) {
    const { markdown, untrue } = renderSupported(readEvidence(scratch));
    complain("untrue", untrue);
    if (totals.failed === 0) writeFileSync(SUPPORTED_FILE, markdown);
  }
} finally {
  await server?.stop();
}
console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
if (passedAlone.length > 0) console.log("\n== passed only when run alone; mend these");
for (const { job, output } of passedAlone) console.log(`${job.engine} ${job.name}\n${output}`);
// At the end, where the reader of a long log looks.
for (const { job, output } of failures) {
  console.log(`\n== failed: ${job.engine} ${job.name}\n${output.match(/^(?:test at|✖) .*$/gm)?.join("\n") ?? ""}`);
}
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1;
