// `npm run mutants [PATHPART...]`: changes one place of a file that guards, runs the tests that reach it, and lists the changes that none
// noticed. It works on copies of the tree. test/mutants/targets.ts says what is mutated: run it for the files that you changed.
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { atExit } from "./harness/at-exit.ts";
import { listMutations } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";
import { isReached, readReach } from "./mutants/reach.ts";
import { ACCEPTED, TARGETS } from "./mutants/targets.ts";
import { Tree } from "./mutants/tree.ts";

const ROOT = join(import.meta.dirname, "..");
const parts = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "reeve-mutants-"));
atExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

/** A test file, with what is known of it so far. */
interface TestFile {
  readonly file: string;
  readonly ms: number;
  readonly reach: ReturnType<typeof readReach>;
  runs: number;
  kills: number;
}

const LONGEST_MS = 600_000;
/** A mutant that hangs takes longer than a test ever takes on a busy machine. */
const timeoutOf = ({ ms }: TestFile) => ms * 5 + 30_000;
/** How many mutants it kills for its time, as far as is known. */
const worthOf = ({ runs, kills, ms }: TestFile) => (kills + 1) / (runs + 2) / ms;

/** Takes items in turn in all trees. */
async function inTrees<T>(items: readonly T[], work: (tree: Tree, item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const take = async (tree: Tree) => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(tree, item);
  };
  await Promise.all(trees.map(take));
}

/** Runs a test file without a mutant. */
async function measure(tree: Tree, file: string, files: readonly string[]): Promise<TestFile> {
  const coverage = mkdtempSync(join(folder, "coverage-"));
  const { outcome, test, ms } = await tree.run(file, LONGEST_MS, coverage);
  if (outcome !== "passed") throw new Error(`${file} fails without a mutant: ${test ?? "it ended early"}`);
  const reach = readReach(coverage, files);
  rmSync(coverage, { recursive: true });
  return { file, ms, reach, runs: 0, kills: 0 };
}

const ATTEMPTS = 3;

/** Who kills the mutant that is in the tree; null: this file does not. `withoutMutant` takes it out of the tree for a while. */
async function findKiller(tree: Tree, test: TestFile, withoutMutant: <T>(work: () => Promise<T>) => Promise<T>) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const run = await tree.run(test.file, timeoutOf(test));
    if (run.outcome === "passed") return null;
    if (run.outcome === "failed") return run.test;
    // Without the mutant the file has to pass, and in a fraction of the time.
    const control = await withoutMutant(() => tree.run(test.file, LONGEST_MS));
    if (control.outcome !== "passed" || control.ms > timeoutOf(test) / 3) continue;
    if (run.test === null) return run.isTimedOut ? "(hangs)" : "(ends early)";
    const again = await tree.run(test.file, timeoutOf(test));
    if (again.test !== null) return again.test;
  }
  throw new Error(`${test.file} does not pass without a mutant either: is the machine too busy?`);
}

function describe(file: string, text: string, { start, end, text: replacement }: Mutation) {
  const line = text.slice(0, start).split("\n").length;
  const code = text.slice(start, end).replaceAll(/\s+/g, " ");
  return { code, text: `${file}:${line}  ${code}  ->  ${replacement.replaceAll(/\s+/g, " ")}` };
}

type Verdict = "killed" | "accepted" | "survived" | "untested";
const totals: Record<Verdict, number> = { killed: 0, accepted: 0, survived: 0, untested: 0 };

interface Source {
  readonly file: string;
  readonly text: string;
}

async function judge(tree: Tree, { file, text }: Source, mutation: Mutation, tests: readonly TestFile[]) {
  const path = join(tree.folder, file);
  const told = describe(file, text, mutation);
  const put = () => writeFileSync(path, text.slice(0, mutation.start) + mutation.text + text.slice(mutation.end));
  const withoutMutant = async <T>(work: () => Promise<T>) => {
    writeFileSync(path, text);
    return await work().finally(put);
  };
  const reaching = tests.filter(({ reach }) => isReached(reach, file, mutation));
  let killer: string | null = null;
  put();
  for (const test of reaching.toSorted((a, b) => worthOf(b) - worthOf(a))) {
    test.runs++;
    killer = await findKiller(tree, test, withoutMutant);
    if (killer === null) continue;
    test.kills++;
    break;
  }
  writeFileSync(path, text);
  const isAccepted = ACCEPTED.some((one) => one.file === file && one.code === told.code);
  const unkilled = isAccepted ? "accepted" : reaching.length > 0 ? "survived" : "untested";
  const verdict: Verdict = killer === null ? unkilled : "killed";
  totals[verdict]++;
  console.log(`${verdict.padEnd(9)} ${told.text}${killer === null ? "" : `  by: ${killer}`}`);
}

const trees = Array.from(
  { length: Math.min(2, availableParallelism()) },
  (_, at) => new Tree(join(folder, `tree-${at}`)),
);
try {
  for (const target of TARGETS) {
    const files = globSync([...target.files], { cwd: ROOT, exclude: ["**/*.test.ts"] })
      .filter((file) => parts.length === 0 || parts.some((part) => file.includes(part)))
      .toSorted();
    if (files.length === 0) continue;
    // The checkout may change meanwhile.
    const sources = new Map(files.map((file) => [file, readFileSync(join((trees[0] as Tree).folder, file), "utf8")]));
    const tests: TestFile[] = [];
    await inTrees(globSync([...target.tests], { cwd: ROOT }).toSorted(), async (tree, file) => {
      tests.push(await measure(tree, file, files));
    });
    // Runs with coverage, and runs that are killed, leave no compiled code behind.
    const usual = tests.toSorted((a, b) => a.ms - b.ms)[Math.floor(tests.length / 2)];
    if (usual) await Promise.all(trees.map((tree) => tree.run(usual.file, LONGEST_MS)));
    for (const file of files) {
      const text = sources.get(file) as string;
      const mutations = listMutations(file, text);
      console.log(`== ${file}: ${mutations.length} mutants`);
      for (const test of tests) test.runs = test.kills = 0;
      await inTrees(mutations, (tree, mutation) => judge(tree, { file, text }, mutation, tests));
    }
  }
} finally {
  for (const tree of trees) await tree.remove();
}
const all = Object.entries(totals).map(([verdict, count]) => `${count} ${verdict}`);
console.log(`\n${all.join(", ")}`);
process.exitCode = totals.survived + totals.untested === 0 ? 0 : 1;
