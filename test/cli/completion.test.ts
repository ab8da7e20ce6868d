// Completion in real shells: what a person types with tabs in an interactive shell, and what each shell's own functions find. bash is on
// every machine that runs the tests; zsh and fish where they are installed.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { builtFile } from "../harness/program.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder } = world;
const MAIN = builtFile("reeve.js");
await world.set("production", { PORT: { value: "8080" }, BINARY: { secretValue: "x" } });
const staging = { name: "staging", inheritsFrom: "production" };
assert.equal((await world.call("POST", "/v1/environments/shop?slug=acme", staging)).status, 200);
const rule = {
  name: "No admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
  action: { mitigate: { action: "deny" } },
};
const firewall = { firewallEnabled: true, rules: [{ id: "rule_admin", ...rule }] };
assert.equal((await world.call("PUT", "/v1/firewalls?slug=acme&projectId=shop", firewall)).status, 200);

const bin = join(folder, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "reeve"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
const env = { ...process.env, ...world.remote, PATH: `${bin}:${process.env["PATH"]}`, TERM: "dumb" };
const hasShell = (name: string) => spawnSync(name, ["-c", "true"]).status === 0;

const runFile = promisify(execFile);

/** What a function of bash's completion gets and answers. The server is in this process, which nothing may block. */
async function completeInBash(line: string): Promise<string> {
  const script = `source <(reeve completion bash); COMP_WORDS=(${line}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _reeve_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return (await runFile("bash", ["-c", script], { env })).stdout.trim().replaceAll("\n", " ");
}

/** What that function asks for. */
async function complete(line: string): Promise<string> {
  const [, ...words] = line.split(" ").map((word) => (word === "''" ? "" : word));
  const { stdout } = await world.run(["__complete", ...words]);
  return stdout
    .trimEnd()
    .split("\n")
    .map((one) => one.split("\t")[0])
    .join(" ");
}

test("commands, flags and names from the server are completed, in bash too", async () => {
  const expected: Readonly<Record<string, string>> = {
    "reeve tea": "teams",
    "reeve secrets rev": "reveal",
    "reeve teams list --js": "--json",
    "reeve secrets list --team ac": "acme",
    "reeve secrets view --team acme shop.production.B": "shop.production.BINARY",
    "reeve members invite --role OW": "OWNER",
    "reeve api-keys create --permissions environment:r": "environment:read",
    "reeve api-keys create --permissions environment:read,secret:rev": "environment:read,secret:reveal",
    "reeve teams list --json sl": "slug",
    "reeve teams list --json id,sl": "id,slug",
    "reeve teams list --json --al": "--all",
    "reeve events tail --team acme --json seq": "sequence",
    "reeve events tail --team acme --type team-del": "team-delete",
    "reeve run --team acme --project sh": "shop",
    "reeve run --team acme --project shop --env ''": "production preview development staging",
    "reeve env pull --team acme --env ''": "",
    "reeve env pull --team acme --project shop --env st": "staging",
    "reeve env push --team = acme --project = shop --env = st": "staging",
    "reeve run --team acme --project shop --env =": "production preview development staging",
    "reeve firewall rules en": "enable",
    "reeve firewall rules move --be": "--before",
    "reeve firewall rules enable --team acme --project shop ''": "rule_admin",
    "reeve firewall rules move --team acme --project shop rule_x --after rule_": "rule_admin",
    "reeve firewall rules enable --team acme --project other ''": "",
    "reeve environments view --team acme s": "shop",
    "reeve environments entries --team acme shop st": "staging",
    "reeve environments create --team acme shop --inherits-from prod": "production",
    "reeve environments rollback --team acme shop production ''": "1",
  };
  for (const [line, words] of Object.entries(expected)) assert.equal(await complete(line), words, line);
  // What bash makes words of, and what it quotes.
  const odd = Object.entries(expected).filter(([line]) => /[=:,]|^reeve tea|A_/.test(line));
  assert.ok(odd.length >= 6);
  for (const [line, words] of odd) assert.equal(await completeInBash(line), words, line);
});

test("names beyond the first page of a list are completed", async () => {
  await world.set("development", { A_FIRST_ONE: { secretValue: "x" } });
  const many = Array.from({ length: 100 }, (_, at) => [`LATER_${at}`, { secretValue: "x" }] as const);
  await world.set("development", Object.fromEntries(many));
  const line = "reeve secrets view --team acme shop.development.A_";
  assert.equal(await complete(line), "shop.development.A_FIRST_ONE");
});

test("a name that is yet to be chosen, and the program of reeve run, are not completed from the server", async () => {
  assert.equal(await complete("reeve environments create --team acme shop ''"), "");
  assert.equal(await complete("reeve webhooks create --team acme --name ''"), "");
  assert.equal(await complete("reeve run --team acme -- ''"), "");
});

const INTERACTIVE = {
  bash: { args: ["--rcfile", join(folder, "bashrc"), "-i"], file: "bashrc", before: "" },
  zsh: { args: ["-i"], file: ".zshrc", before: "autoload -U compinit; compinit -u -D\n" },
} as const;

test("a line that a person types with tabs runs with the whole names", async () => {
  for (const [name, { args, file, before }] of Object.entries(INTERACTIVE).filter(([one]) => hasShell(one))) {
    const show = `if [[ $1 == __complete ]]; then command reeve "$@"; else printf 'RUNS<%s>\\n' "$*"; fi`;
    writeFileSync(
      join(folder, file),
      `${before}source <(reeve completion ${name})\nreeve() { ${show}; }\necho READY\n`,
    );
    const terminal = spawn("script", ["-qec", [name, ...args].join(" "), "/dev/null"], {
      env: { ...env, ZDOTDIR: folder },
    });
    let printed = "";
    terminal.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await waitFor(`${name} to start`, () => printed.includes("READY") || undefined);
    terminal.stdin.write("reeve run --team=ac\t --project sh\t --env sta\t -- no\n");
    await waitFor(`the line of ${name}`, () => /RUNS<.*>/.test(printed) || undefined);
    terminal.kill();
    const [, words] = /RUNS<(.*)>/.exec(printed) ?? [];
    assert.equal(words, "run --team=acme --project shop --env staging -- no", name);
  }
});

test("the scripts of zsh and fish are right by these shells, where they are installed, and complete in fish", async () => {
  for (const name of ["zsh", "fish"].filter(hasShell)) {
    const file = join(folder, `completion.${name}`);
    writeFileSync(file, (await world.run(["completion", name])).stdout);
    const checked = spawnSync(name, ["-n", file], { encoding: "utf8" });
    assert.deepEqual([checked.status, checked.stderr], [0, ""], name);
  }
  const [fish] = ["fish"].filter(hasShell);
  if (fish === undefined) return;
  const inFish = async (line: string) =>
    (await runFile(fish, ["-c", `reeve completion fish | source; complete -C '${line}'`], { env })).stdout.trim();
  assert.equal(await inFish("reeve secrets list --team ac"), "acme\tAcme");
  assert.equal(await inFish("reeve run --team acme --project=shop --env st"), "staging\tproduction");
  assert.equal(await inFish("reeve run --team acme --project shop --env=st"), "--env=staging\tproduction");
});
