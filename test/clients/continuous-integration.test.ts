// The action for GitHub and the template for GitLab in deploy/: their scripts in real shells, against a started server. The runner's
// files and commands are what the platforms document.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { startListeningApp } from "./started-app.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const { url, admin, createTeam, request, app } = await startListeningApp();
const folder = mkdtempSync(join(tmpdir(), "reeve-ci-"));
after(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});
await createTeam(admin, "acme");

const KEY_FILE = "-----BEGIN-----\nfirst line of a key\nsecond'line\"of$a`key\n-----END-----";
const VALUES = {
  LEVEL: "info",
  MULTI: KEY_FILE,
  PERCENT: "100%\r\nsure",
  PASSWORD: "swordfish",
  SHORT: "a\nlonger line",
};
const { LEVEL, ...secrets } = VALUES;
const set = Object.fromEntries(Object.entries(secrets).map(([key, secretValue]) => [key, { secretValue }]));
const changed = await request("PATCH", "/v1/environments/shop?slug=acme", {
  body: { environments: { production: { set: { ...set, LEVEL: { value: LEVEL } } } } },
});
assert.equal(changed.status, 200, changed.text);
const made = await request("POST", "/v1/api-keys?slug=acme", {
  body: { name: "ci", role: "DEVELOPER", permissions: ["environment:read", "secret:reveal"] },
});
assert.equal(made.status, 200, made.text);
const KEY: string = made.body.value;

type Variables = Readonly<Record<string, string>>;

async function runShell(shell: string, args: readonly string[], variables: Variables) {
  const env = { PATH: process.env["PATH"], ...variables };
  const child = spawn(shell, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number, stdout, stderr };
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: { readonly steps: readonly { readonly env: Variables; readonly run: string }[] };
}

/** Runs the step as the runner does: inputs with their defaults, and files for variables and outputs. */
async function runAction(given: Variables, more: Variables = {}) {
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
function readVariables(file: string): Variables {
  const found = [...file.matchAll(/^(\w+)<<(\w+)\n([^]*?)\n\2$/gm)];
  return Object.fromEntries(found.map(([, name = "", , value = ""]) => [name, value]));
}

const PLACE = { server: `${url}/`, team: "acme", project: "shop", environment: "production" };

test("the action exports every value exactly, and masks what is secret, line by line", async () => {
  const { code, stdout, stderr, variables, outputs } = await runAction({ ...PLACE, token: KEY });
  assert.deepEqual([code, stderr], [0, ""], stdout);
  assert.deepEqual(readVariables(variables), VALUES);
  assert.equal(outputs, `token=${KEY}\n`);
  const lines = stdout.trim().split("\n");
  assert.ok(
    lines.every((line) => line.startsWith("::add-mask::")),
    stdout,
  );
  const masked = lines.map((line) => line.slice("::add-mask::".length));
  const unescape = (line: string) => line.replaceAll("%0A", "\n").replaceAll("%0D", "\r").replaceAll("%25", "%");
  const whole = masked.map(unescape);
  for (const value of [KEY, ...Object.values(secrets), ...KEY_FILE.split("\n"), "longer line", "100%"]) {
    assert.ok(whole.includes(value), value);
  }
  assert.ok(!whole.includes(LEVEL) && !whole.includes("a"));
});

test("the action exports chosen names, or the credential alone", async () => {
  const some = await runAction({ ...PLACE, token: KEY, names: "LEVEL,PASSWORD" });
  assert.deepEqual(readVariables(some.variables), { LEVEL, PASSWORD: "swordfish" });
  const none = await runAction({ ...PLACE, token: KEY, export: "false" });
  assert.deepEqual([none.code, none.variables, none.outputs], [0, "", `token=${KEY}\n`]);
});

test("the action fails with what is wrong, and exports nothing", async () => {
  const refuse = async (given: Variables, message: RegExp, more?: Variables) => {
    const { code, stdout, variables } = await runAction(given, more);
    assert.deepEqual([code, variables], [1, ""]);
    assert.match(stdout, message);
  };
  await refuse({ ...PLACE, project: "" }, /^::error title=Reeve::project: expected a value$/m);
  await refuse(PLACE, /the job has no signed token: expected `permissions: \{ id-token: write \}`/);
  const elsewhere = { ...PLACE, token: KEY, environment: "nowhere" };
  await refuse(elsewhere, /the environment: refused with 404: Environment not found/);
  await refuse({ ...PLACE, token: "x".repeat(40) }, /the environment: refused with 401/);
  await refuse({ ...PLACE, token: KEY, names: "NOPE" }, /the values: refused with 409: .*NOPE/);
});

interface Template {
  readonly variables: Variables;
  readonly before_script: readonly string[];
}

/** The script of the template with its inputs, followed by a job's own script. */
function gitlabScript(inputs: Variables) {
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

test("the template gives a job's script every value exactly, in sh and in bash, and prints nothing", async () => {
  const { variables, script } = gitlabScript({ ...PLACE, server: url });
  const job = `${script}\n"${process.execPath}" -p 'JSON.stringify(process.env)'`;
  for (const shell of ["sh", "bash"]) {
    const { code, stdout, stderr } = await runShell(shell, ["-e", "-c", job], { ...variables, VALUES_TOKEN: KEY });
    assert.deepEqual([code, stderr], [0, ""]);
    const got = JSON.parse(stdout);
    assert.deepEqual(Object.fromEntries(Object.keys(VALUES).map((name) => [name, got[name]])), VALUES);
    assert.deepEqual([got.VALUES_TOKEN, got.VALUES_ID_TOKEN], [undefined, undefined]);
  }
});

test("the template ends the job when it is refused", async () => {
  const { variables, script } = gitlabScript({ ...PLACE, server: url, environment: "nowhere" });
  for (const more of [{ VALUES_TOKEN: KEY }, { VALUES_ID_TOKEN: "no.signed.token" }]) {
    const { code, stdout, stderr } = await runShell("sh", ["-c", `${script}\necho went on`], { ...variables, ...more });
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^reeve: refused with 40[04]: /);
  }
});
