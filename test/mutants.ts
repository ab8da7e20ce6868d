// `npm run mutants [PATHPART...]`: changes one place of a file that guards, runs the tests that have to notice, and lists the changes that
// none noticed. It works on a copy of the tree, and takes hours for all of test/mutants/targets.ts: run it for the files that you changed.
import { spawn } from "node:child_process";
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { listMutations } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";
import { ACCEPTED, TARGETS } from "./mutants/targets.ts";
import type { Target } from "./mutants/targets.ts";
import { startPostgres } from "./postgres/server.ts";

const ROOT = join(import.meta.dirname, "..");
const parts = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "reeve-mutants-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
process.once("SIGINT", () => process.exit(130));

/** A copy of the tree in which one mutant lives at a time. */
function copyTree(name: string): string {
  const tree = join(folder, name);
  mkdirSync(tree);
  for (const entry of readdirSync(ROOT)) {
    if (["src", "test"].includes(entry)) {
      const isOurs = (path: string) => !path.includes("node_modules");
      cpSync(join(ROOT, entry), join(tree, entry), { recursive: true, filter: isOurs });
    } else if (entry !== ".git") symlinkSync(join(ROOT, entry), join(tree, entry));
  }
  return tree;
}

interface Run {
  readonly isPassed: boolean;
  readonly ms: number;
}

/** Runs tests in a tree until the first fails, or the time is over. */
async function runTests(tree: string, target: Target, timeoutMs: number, coverage = ""): Promise<Run> {
  const startedAt = performance.now();
  const flags = ["--test", "--test-isolation=none", "--test-force-exit", "--test-reporter=tap"];
  const tests = globSync(target.tests, { cwd: tree }).toSorted();
  const child = spawn(process.execPath, [...flags, ...tests], {
    cwd: tree,
    env: { ...process.env, REEVE_TEST_ENGINE: target.engine, ...(coverage !== "" && { NODE_V8_COVERAGE: coverage }) },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: Math.round(timeoutMs),
    killSignal: "SIGKILL",
  });
  let hasFailed = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (!/^\s*not ok /m.test(text)) return;
    hasFailed = true;
    child.kill("SIGKILL");
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { isPassed: code === 0 && !hasFailed, ms: performance.now() - startedAt };
}

interface CoveredRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Whether any test of the run reached a place. Types are stripped in place, so offsets are those of the source. */
function readReached(coverage: string, file: string): (mutation: Mutation) => boolean {
  const ranges = readdirSync(coverage).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(coverage, name), "utf8"));
    const script = result.find(({ url }: { readonly url: string }) => url.endsWith(`/${file}`));
    return (script?.functions ?? []).flatMap((one: { readonly ranges: readonly CoveredRange[] }) => one.ranges);
  }) as CoveredRange[];
  return ({ start, end }) => {
    const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= start && end <= endOffset);
    // The innermost range decides.
    const [innermost] = around.toSorted((a, b) => a.endOffset - a.startOffset - (b.endOffset - b.startOffset));
    return (innermost?.count ?? 0) > 0;
  };
}

function describe(file: string, text: string, { start, end, text: replacement }: Mutation) {
  const line = text.slice(0, start).split("\n").length;
  const code = text.slice(start, end).replaceAll(/\s+/g, " ");
  return { file, code, text: `${file}:${line}  ${code}  ->  ${replacement.replaceAll(/\s+/g, " ")}` };
}

const trees = Array.from({ length: availableParallelism() }, (_, at) => copyTree(`tree-${at}`));
const server = await startPostgres();
Object.assign(process.env, server.environment);
const totals = { killed: 0, accepted: 0, survived: 0 };
try {
  for (const [at, target] of TARGETS.entries()) {
    const files = globSync([...target.files], { cwd: ROOT, exclude: ["**/*.test.ts"] })
      .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
      .toSorted();
    if (files.length === 0) continue;
    const coverage = join(folder, `coverage-${at}`);
    const whole = await runTests(trees[0] as string, target, 600_000, coverage);
    if (!whole.isPassed) throw new Error(`the tests of ${target.files.join(", ")} fail without a mutant`);
    for (const file of files) {
      const text = readFileSync(join(ROOT, file), "utf8");
      const isReached = readReached(coverage, file);
      const left = listMutations(file, text);
      console.log(`== ${file}: ${left.length} mutants`);
      const work = async (tree: string) => {
        for (let mutation = left.shift(); mutation; mutation = left.shift()) {
          const mutant = text.slice(0, mutation.start) + mutation.text + text.slice(mutation.end);
          const told = describe(file, text, mutation);
          let isKilled = false;
          if (isReached(mutation)) {
            writeFileSync(join(tree, file), mutant);
            isKilled = !(await runTests(tree, target, whole.ms * 3 + 10_000)).isPassed;
            writeFileSync(join(tree, file), text);
          }
          const accepted = ACCEPTED.find((one) => one.file === file && one.code === told.code);
          totals[isKilled ? "killed" : accepted ? "accepted" : "survived"]++;
          if (!isKilled && !accepted) console.log(`${isReached(mutation) ? "survived" : "untested"}  ${told.text}`);
        }
      };
      await Promise.all(trees.map(work));
    }
  }
} finally {
  await server.stop();
}
console.log(`\n${totals.killed} killed, ${totals.accepted} accepted, ${totals.survived} survived`);
process.exitCode = totals.survived === 0 ? 0 : 1;
