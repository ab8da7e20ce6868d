// The subjects of the commits since the last kept release, as `npm run check -- commits` looks at them. A shallow clone shows those it has.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** The lines "HASH SUBJECT" of the commits after the one that gave package.json the version of the last kept release. */
function readCommits(): string[] {
  const kept = readFileSync(join(ROOT, "test/fronts/last-release.json"), "utf8");
  const { version } = JSON.parse(kept) as { readonly version: string };
  // The next release changes the line again, so the oldest commit is the one.
  const release = git("log", `-S"version": "${version}"`, "--reverse", "--format=%H", "--", "package.json").split(
    "\n",
  )[0];
  return git("log", "--no-merges", "--format=%h %s", release ? `${release}..` : "HEAD").split("\n");
}

function findFault(subject: string): string | undefined {
  if (subject.length > 72) return `${subject.length} characters, expected at most 72`;
  if (!/^[A-Z][a-z]+ /.test(subject)) return "expected a verb in the imperative first, with a capital letter";
  return subject.endsWith(".") ? "expected no full stop at its end" : undefined;
}

// A package has no history.
const commits = existsSync(join(ROOT, ".git")) ? readCommits() : [];
for (const commit of commits) {
  const fault = findFault(commit.slice(commit.indexOf(" ") + 1));
  if (fault === undefined) continue;
  console.log(`${commit}: ${fault}`);
  process.exitCode = 1;
}
