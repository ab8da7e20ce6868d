// `reeve env pull|diff|push`: every form of file there and back, one change for each push, and nothing shown that is secret.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { parse } from "yaml";
import { builtFile } from "../harness/program.ts";
import { PLACE, startApplicationWorld } from "./application-world.ts";
import { startProgram } from "./reeve-process.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, run } = world;
const MAIN = builtFile("reeve.js");
const at = (name: string) => join(folder, name);

const VALUES = {
  DATABASE_URL: "postgres://app:sword$fish@db/shop",
  FLAG: "no",
  KEY: '-----BEGIN-----\nit\'s "quoted" `and` \\n\n-----END-----\n',
  LOG_LEVEL: "info",
  PORT: "8080",
};
writeFileSync(at("values.json"), JSON.stringify(VALUES));

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function refuse(args: readonly string[], code: number, message: RegExp): Promise<void> {
  const ended = await run(args);
  assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr);
  assert.match(ended.stderr, message);
}

const readEnvironment = () => world.call("GET", "/v1/environments/shop/production?slug=acme");

async function versionNow(): Promise<number> {
  return ((await (await readEnvironment()).json()) as { version: number }).version;
}

test("a push shows masked differences, stores secrets by default, and is one change", async () => {
  const push = ["env", "push", at("values.json"), ...PLACE, "--plain", "LOG_*,PORT,FLAG", "--secret", "FLA*"];
  const dry = await succeed(...push, "--dry-run");
  assert.equal(
    dry,
    ["+ DATABASE_URL  secret shop.production.DATABASE_URL", "+ FLAG  secret shop.production.FLAG"]
      .concat("+ KEY  secret shop.production.KEY", "+ LOG_LEVEL  plain value", "+ PORT  plain value", "")
      .join("\n"),
  );
  assert.equal((await readEnvironment()).status, 404);
  await refuse(push, 2, /--yes: expected it, because there is no terminal/);
  assert.equal((await readEnvironment()).status, 404);
  assert.equal(await succeed(...push, "--yes", "--note", "first"), "production of shop is at version 1 now.\n");
  assert.equal(await succeed("env", "push", at("values.json"), ...PLACE, "--yes"), "Nothing differs.\n");
  assert.equal(await versionNow(), 1);
});

test("each form is written and read back", async () => {
  for (const format of ["dotenv", "json", "yaml", "shell", "kubernetes"]) {
    const file = at(`form.${format}`);
    writeFileSync(file, await succeed("env", "pull", ...PLACE, "--format", format));
    assert.equal(await succeed("env", "diff", file, ...PLACE, "--format", format), "Nothing differs.\n", format);
  }
  assert.deepEqual(JSON.parse(readFileSync(at("form.json"), "utf8")), VALUES);
  assert.deepEqual(parse(readFileSync(at("form.yaml"), "utf8")), VALUES);
  const { kind, type, metadata, data } = parse(readFileSync(at("form.kubernetes"), "utf8"));
  assert.deepEqual([kind, type, metadata.name], ["Secret", "Opaque", "shop-production"]);
  assert.equal(Buffer.from(data.KEY, "base64").toString(), VALUES.KEY);
  const script = `. "${at("form.shell")}"; exec "${process.execPath}" -p 'JSON.stringify(process.env)'`;
  const sourced = JSON.parse(execFileSync("sh", ["-c", script], { encoding: "utf8" }));
  assert.deepEqual(Object.fromEntries(Object.keys(VALUES).map((name) => [name, sourced[name]])), VALUES);
});

test("a file is for its owner alone, and is replaced only as env pull left it, or with --force", async () => {
  const pull = ["env", "pull", ...PLACE, "--output", at(".env")];
  const { stdout, stderr } = await run(pull);
  assert.equal(stdout, "");
  assert.match(stderr, /^(?:.* reads other values of KEY: .*\n){2}Wrote 5 values to .*\.env\.\n$/);
  assert.equal(statSync(at(".env")).mode & 0o777, 0o600);
  await succeed("env", "diff", at(".env"), ...PLACE);
  await succeed(...pull);
  writeFileSync(at(".env"), `${readFileSync(at(".env"), "utf8")}MINE=1\n`);
  await refuse(pull, 7, /exists already; --force replaces it/);
  assert.match(readFileSync(at(".env"), "utf8"), /MINE=1/);
  await succeed(...pull, "--force", "--names", "PORT");
  assert.match(readFileSync(at(".env"), "utf8"), /^# Written by reeve env pull, sha256 [0-9a-f]{64}\nPORT=8080\n$/);
});

test("a link is not written through, nor replaced: others read by what it leads to", async () => {
  const [target, link, dangling] = [at("shared.env"), at("linked.env"), at("dangling.env")];
  await succeed("env", "pull", ...PLACE, "--output", target);
  symlinkSync("shared.env", link);
  symlinkSync("nothing.env", dangling);
  const before = readFileSync(target, "utf8");
  for (const more of [[], ["--force"]]) {
    await refuse(
      ["env", "pull", ...PLACE, "--names", "PORT", "--output", link, ...more],
      3,
      /linked\.env is a symbolic link to shared\.env: name that file, or remove the link/,
    );
    await refuse(["env", "pull", ...PLACE, "--output", dangling, ...more], 3, /is a symbolic link to nothing\.env/);
  }
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(readFileSync(target, "utf8"), before);
  assert.ok(!existsSync(at("nothing.env")));
});

test("nothing is written of a project that does not exist, or without values unless --allow-empty is given", async () => {
  const file = at("none.env");
  const mistyped = ["--team", "acme", "--project", "shpo", "--env", "production"];
  const unknown = /has no project "shpo" for this credential \(--project\); did you mean shop\?$/m;
  for (const more of [[], ["--output", file], ["--output", file, "--force", "--allow-empty"]]) {
    await refuse(["env", "pull", ...mistyped, ...more], 6, unknown);
  }
  writeFileSync(at("some.env"), "A=1\n");
  await refuse(["env", "diff", at("some.env"), ...mistyped], 6, unknown);
  const empty = ["--team", "acme", "--project", "shop", "--env", "preview"];
  await refuse(
    ["env", "pull", ...empty, "--output", file],
    3,
    /preview of shop has no values for this credential: --allow-empty writes none/,
  );
  assert.ok(!existsSync(file));
  assert.deepEqual(await run(["env", "pull", ...empty, "--allow-empty"]), { code: 0, stdout: "", stderr: "" });
  const written = await run(["env", "pull", ...empty, "--allow-empty", "--output", file]);
  assert.deepEqual(written, { code: 0, stdout: "", stderr: `Wrote 0 values to ${file}.\n` });
});

test("--json prints the values as JSON, or what was written", async () => {
  assert.deepEqual(JSON.parse(await succeed("env", "pull", ...PLACE, "--json")), VALUES);
  const file = at("as-json.yaml");
  const written = await succeed("env", "pull", ...PLACE, "--json", "--output", file, "--names", "FLAG,PORT");
  assert.deepEqual(JSON.parse(written), { file, names: ["FLAG", "PORT"] });
  assert.deepEqual(parse(readFileSync(file, "utf8")), { FLAG: "no", PORT: "8080" });
  const both = ["env", "pull", ...PLACE, "--json", "--format", "shell"];
  await refuse(both, 2, /--format: expected json with --json, or a file/);
});

test("diff names what differs and ends with 1, without values", async () => {
  writeFileSync(at("other.env"), "DATABASE_URL=hidden-text\nFLAG=no\nNEW=hidden-text\nPORT=8080\nLOG_LEVEL=info\n");
  const { code, stdout } = await run(["env", "diff", at("other.env"), ...PLACE]);
  assert.equal(code, 1);
  assert.equal(stdout, "~ DATABASE_URL  another value\n- KEY  not in the file\n+ NEW  only in the file\n");
  const json = await run(["env", "diff", at("other.env"), ...PLACE, "--json"]);
  assert.deepEqual(JSON.parse(json.stdout), { added: ["NEW"], changed: ["DATABASE_URL"], removed: ["KEY"] });
});

test("a push keeps kinds, makes versions of secrets, and removes only with --prune", async () => {
  writeFileSync(at("next.env"), "DATABASE_URL=next-secret-text\nLOG_LEVEL=debug\n");
  const { code, stdout, stderr } = await run(["env", "push", at("next.env"), ...PLACE, "--yes"]);
  assert.deepEqual([code, stdout], [0, "production of shop is at version 2 now.\n"]);
  assert.match(stderr, /^~ DATABASE_URL {2}secret shop.production.DATABASE_URL: another value$/m);
  assert.match(stderr, /^~ LOG_LEVEL {2}plain value: another value$/m);
  assert.doesNotMatch(stderr, /next-secret-text|debug|^- /m);
  await succeed("env", "push", at("next.env"), ...PLACE, "--prune", "--yes");
  const left = { DATABASE_URL: "next-secret-text", LOG_LEVEL: "debug" };
  assert.deepEqual(JSON.parse(await succeed("env", "pull", ...PLACE, "--format", "json")), left);
  const [event] = await world.events("environment-values-changed");
  assert.ok(!JSON.stringify(event).includes("next-secret-text"));
});

test("names that differ only in case are pushed, and shown with the names that were stored", async () => {
  writeFileSync(at("case.env"), "http_proxy=one\nHTTP_PROXY=other\n");
  const push = ["env", "push", at("case.env"), "--team", "acme", "--project", "case", "--env", "production"];
  const random = /^\+ HTTP_PROXY {2}secret case\.production\.HTTP_PROXY\.\w{8}$/m;
  assert.match(await succeed(...push, "--dry-run"), random);
  const { code, stderr } = await run([...push, "--yes"]);
  assert.equal(code, 0, stderr);
  const [shown = ""] = random.exec(stderr) ?? [];
  const stored = await (await world.call("GET", "/v1/environments/case/production?slug=acme")).json();
  const { entries } = stored as {
    readonly entries: readonly { readonly key: string; readonly secret: { readonly name: string } }[];
  };
  assert.equal(shown, `+ HTTP_PROXY  secret ${entries.find(({ key }) => key === "HTTP_PROXY")?.secret.name}`);
  assert.match(stderr, /^\+ http_proxy {2}secret case\.production\.http_proxy$/m);
});

test("what is too large for one change is refused with the limit and what to do, in a dry run too", async () => {
  const entries = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => `K${index}=${"x".repeat(length)}`).join("\n");
  const place = ["--team", "acme", "--project", "large", "--env", "production"];
  const push = async (message: RegExp) => {
    for (const more of ["--dry-run", "--yes"])
      await refuse(["env", "push", at("large.env"), ...place, more], 3, message);
  };
  writeFileSync(at("large.env"), entries(20, 60_000));
  await push(
    /large\.env: what differs is too large for one change \(body: expected at most 1 MiB\): push parts of the file .*, without --prune/,
  );
  writeFileSync(at("large.env"), entries(251, 1));
  await push(
    /large\.env: what differs is too large for one change \(.*production\.set\.K250\.secretValue: expected at most 250 values as secrets in one change\): push parts/,
  );
});

test("inherited entries are compared, and stay when a file lacks them", async () => {
  const made = await world.call("POST", "/v1/environments/shop?slug=acme", {
    name: "staging",
    inheritsFrom: "production",
  });
  assert.equal(made.status, 200);
  const place = ["--team", "acme", "--project", "shop", "--env", "staging"];
  writeFileSync(at("staging.env"), "LOG_LEVEL=debug\n");
  const { code, stdout, stderr } = await run(["env", "push", at("staging.env"), ...place, "--prune", "--yes"]);
  assert.deepEqual(
    [code, stdout, stderr],
    [0, "Nothing differs.\n", "DATABASE_URL stays: it is inherited from production\n"],
  );
});

test("diff says what a push would change where an environment inherits", async () => {
  const place = ["--team", "acme", "--project", "shop", "--env", "staging"];
  writeFileSync(at("own.env"), "OWN=1\n");
  await succeed("env", "push", at("own.env"), ...place, "--yes");
  const stays = ["DATABASE_URL", "LOG_LEVEL"].map((key) => `${key} stays: it is inherited from production\n`).join("");
  const same = { code: 0, stdout: "Nothing differs.\n", stderr: stays };
  assert.deepEqual(await run(["env", "push", at("own.env"), ...place, "--prune", "--dry-run"]), same);
  assert.deepEqual(await run(["env", "diff", at("own.env"), ...place]), same);
  writeFileSync(at("own.env"), "LOG_LEVEL=trace\n");
  const { code, stdout } = await run(["env", "diff", at("own.env"), ...place]);
  assert.deepEqual([code, stdout], [1, "~ LOG_LEVEL  another value\n- OWN  not in the file\n"]);
});

test("a credential that may not reveal secrets pushes, and cannot pull", async () => {
  const key = await world.createKey({ permissions: ["environment:read", "environment:write", "secret:write"] });
  const more = { REEVE_TOKEN: key.value };
  const before = await versionNow();
  const pushed = await run(["env", "push", at("next.env"), ...PLACE, "--yes"], more);
  assert.equal(pushed.code, 0, pushed.stderr);
  assert.equal(await versionNow(), before + 1);
  assert.equal((await run(["env", "pull", ...PLACE], more)).code, 5);
});

test("a change meanwhile refuses a push, which says to push again", async () => {
  writeFileSync(at("meanwhile.env"), "MEANWHILE=1\n");
  const line = [process.execPath, MAIN, "env", "push", at("meanwhile.env"), ...PLACE].map((word) => `'${word}'`);
  const child = spawn("script", ["-qec", line.join(" "), "/dev/null"], { env: { ...process.env, ...world.remote } });
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    if (!child.stdin.writable || !text.includes("[y/N]")) continue;
    await world.set("production", { MEANWHILE: { value: "2" } });
    child.stdin.end("y\n");
  }
  assert.match(text, /production of shop was changed meanwhile, and nothing was pushed: push again/);
});

test("a pattern that fits no key of the file is said", async () => {
  writeFileSync(at("patterns.env"), "LOG_LEVEL=debug\n");
  const patterns = ["--plain", "LOG_*,ZZZ*", "--secret", "LOG_LEVLE"];
  const { code, stderr } = await run(["env", "push", at("patterns.env"), ...PLACE, "--dry-run", ...patterns]);
  const said = ['--secret: no key of {} fits "LOG_LEVLE"', '--plain: no key of {} fits "ZZZ*"'];
  assert.deepEqual([code, stderr], [0, said.map((one) => `${one.replace("{}", at("patterns.env"))}\n`).join("")]);
});

test("a terminal is asked, and an answer that is not yes changes nothing", async () => {
  writeFileSync(at("asked.env"), "ASKED=1\n");
  const before = await versionNow();
  const answer = async (input: string) => {
    const line = `echo ${input} | script -qec 'reeve env push ${at("asked.env")} ${PLACE.join(" ")}' /dev/null`;
    return (await startProgram("/bin/sh", ["-c", line], {}, world.remote).ended).stdout;
  };
  assert.match(await answer("n"), /\+ ASKED[^]*Change production of shop\? \[y\/N\][^]*nothing was done/);
  assert.equal(await versionNow(), before);
  assert.match(await answer("y"), /is at version/);
  assert.equal(await versionNow(), before + 1);
});

test("wrong files are refused by their line or key, without what is in them, and change nothing", async () => {
  const before = await versionNow();
  const wrong: readonly (readonly [name: string, text: string, message: RegExp])[] = [
    ["wrong.env", "A=1\nhidden-text\n", /wrong.env, line 2: expected NAME=value/],
    ["wrong.json", '{"A": hidden-text}', /wrong.json, line 1: expected JSON \(a character where none is expected\)/],
    ["list.json", "[]", /list.json: expected an object of values by name/],
    ["deep.yaml", "A: {b: hidden-text}", /deep.yaml: expected a text, a number or a boolean as the value of A/],
    ["twice.json", '{"A": "hidden-text", "B": "x", "A": "y"}', /twice.json: expected the key A once/],
    ["key.json", '{"not a key": "hidden-text"}', /expected a key of at most 256/],
  ];
  for (const [name, text, message] of wrong) {
    writeFileSync(at(name), text);
    await refuse(["env", "push", at(name), ...PLACE, "--yes"], name === "key.json" ? 3 : 2, message);
    assert.doesNotMatch((await run(["env", "push", at(name), ...PLACE, "--yes"])).stderr, /hidden-text/);
  }
  await refuse(
    ["env", "push", at("absent.env"), ...PLACE, "--yes"],
    2,
    /cannot read .*absent.env: there is no such file or folder\n$/,
  );
  assert.equal(await versionNow(), before);
});
