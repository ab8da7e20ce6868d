// The scripts of deploy/ for GitHub and GitLab as their runners run them: in real shells, with the runner's files and variables.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { parse, parseAllDocuments } from "yaml";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const folder = mkdtempSync(join(tmpdir(), "reeve-ci-"));
after(() => rmSync(folder, { recursive: true }));

export type Variables = Readonly<Record<string, string>>;

interface ShellRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What other users of the machine could see: arguments of programs, and files that are not for their owner alone. */
  readonly visible: string;
  /** Files that are left. */
  readonly left: readonly string[];
}

const [tools, temporary, seen] = [join(folder, "tools"), join(folder, "temporary"), join(folder, "seen")];
mkdirSync(tools);
const WITNESS = `#!/bin/sh
{ printf '%s\n' "$0" "$@"; find "${temporary}" -mindepth 1 -perm /077 -exec ls -l {} + -exec cat {} +; } >>"${seen}" 2>/dev/null
rest=$(printf %s "$PATH" | cut -d : -f 2-)
PATH=$rest "\${0##*/}" "$@"
code=$?
find "${temporary}" -mindepth 1 -maxdepth 1 -perm /077 >>"${seen}"
exit $code
`;
for (const tool of ["curl", "jq", "sed", "tr"]) writeFileSync(join(tools, tool), WITNESS, { mode: 0o755 });

/** Runs a script where new files are for everybody, unless the script sees to it. */
export async function runShell(shell: string, args: readonly string[], variables: Variables): Promise<ShellRun> {
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary);
  writeFileSync(seen, "");
  const env = { PATH: `${tools}:${process.env["PATH"]}`, TMPDIR: temporary, ...variables };
  const child = spawn("sh", ["-c", 'umask 0; exec "$@"', "sh", shell, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const visible = readFileSync(seen, "utf8");
  return { code: code as number, stdout, stderr, visible, left: readdirSync(temporary) };
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly { readonly env: Variables; readonly run: string }[] };
}

/** Runs the step as the runner does: inputs with their defaults, and files for variables and outputs. */
export async function runAction(given: Variables, more: Variables = {}) {
  const { inputs, runs } = parse(readFileSync(join(DEPLOY, "github-action/action.yml"), "utf8")) as Action;
  const [step] = runs.steps;
  assert.ok(step && runs.steps.length === 1);
  const fill = (template: string) =>
    template.replace(/\$\{\{ inputs\.(\w+) \}\}/, (_match, name: string) => given[name] ?? inputs[name]?.default ?? "");
  const [variables, outputs] = [join(folder, "github-env"), join(folder, "github-output")];
  for (const file of [variables, outputs]) writeFileSync(file, "");
  const ended = await runShell("bash", ["-e", "-o", "pipefail", "-c", step.run], {
    ...Object.fromEntries(Object.entries(step.env).map(([name, template]) => [name, fill(template)])),
    GITHUB_ACTION_PATH: join(DEPLOY, "github-action"),
    GITHUB_ENV: variables,
    GITHUB_OUTPUT: outputs,
    ...more,
  });
  return { ...ended, variables: readFileSync(variables, "utf8"), outputs: readFileSync(outputs, "utf8") };
}

/** Variables as the runner reads them: `NAME<<END`, lines, `END`. */
export function readVariables(file: string): Variables {
  const found: Record<string, string> = {};
  const lines = file.split("\n");
  assert.equal(lines.pop(), "", "the last line has an end");
  while (lines.length > 0) {
    const [, name = "", end = ""] = /^(\w+)<<(.+)$/.exec(lines.shift() as string) ?? [];
    const at = lines.indexOf(end);
    assert.ok(name !== "" && at !== -1, "each variable has a name and an end");
    found[name] = lines
      .splice(0, at + 1)
      .slice(0, -1)
      .join("\n");
  }
  return found;
}

/** The masks that a log gets, in the order of the `::add-mask::` lines; any other line is a failure. */
export function readMasks(stdout: string): readonly string[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      assert.ok(line.startsWith("::add-mask::"), line);
      const escaped = line.slice("::add-mask::".length);
      return escaped.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%25", "%");
    });
}

interface Template {
  readonly variables: Variables;
  readonly before_script: readonly string[];
}

/** The script of the template with its inputs, followed by a job's own script. */
export function gitlabScript(inputs: Variables) {
  const [, jobs] = parseAllDocuments(readFileSync(join(DEPLOY, "gitlab/reeve-values.yml"), "utf8"));
  assert.ok(jobs);
  const content = jobs.toJS() as Readonly<Record<".reeve-values", Template>>;
  const { variables, before_script: lines } = content[".reeve-values"];
  const fill = (template: string) =>
    template.replace(/\$\[\[ inputs\.(\w+) \]\]/, (_match, name) => inputs[name] ?? "");
  return {
    variables: Object.fromEntries(Object.entries(variables).map(([name, template]) => [name, fill(template)])),
    script: lines.join("\n"),
  };
}
