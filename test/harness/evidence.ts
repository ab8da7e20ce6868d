// Records what tests saw the service do, over all processes of a run: SUPPORTED.md may claim that and nothing else.
import { appendFileSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTestContext } from "node:test";

/** The folder of the run's evidence; set by test/run.ts. */
const FOLDER = process.env["REEVE_TEST_SCRATCH"];

/** A claim that succeeded in a test. */
export interface Evidence {
  /** `call GET /v2/user`, `sdk 1.28.35 user.getAuthUser`, `cli 44.7.3 teams ls` */
  readonly claim: string;
  /** The full name of the test, with its suites. */
  readonly test: string;
}

const recorded = new Set<string>();

/** Records that `claim` succeeded in the running test; outside of tests it does nothing. */
export function recordEvidence(claim: string): void {
  if (FOLDER === undefined) return;
  const test = getTestContext()?.fullName;
  if (test === undefined) return;
  const line = `${claim}\t${test}\n`;
  if (recorded.has(line)) return;
  recorded.add(line);
  appendFileSync(join(FOLDER, `${process.pid}.evidence`), line);
}

/** The evidence of a run in `folder`, each once. */
export function readEvidence(folder: string): Evidence[] {
  const lines = globSync("*.evidence", { cwd: folder }).flatMap((file) =>
    readFileSync(join(folder, file), "utf8").split("\n").filter(Boolean),
  );
  return [...new Set(lines)].toSorted().map((line) => {
    const [claim, test] = line.split("\t") as [string, string];
    return { claim, test };
  });
}
