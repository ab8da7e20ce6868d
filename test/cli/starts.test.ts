// What a start tells its operator: the link until the account is set up, a token that has no effect, and commands that run where they
// are printed. On a terminal no line of a request pushes it out of sight.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { ownCommand } from "../../src/serve/config/own-command.ts";
import { readSettings } from "../../src/serve/config/config.ts";
import type { Flags } from "../../src/serve/config/config.ts";
import { openDatabase } from "../../src/serve/open-database.ts";
import { foundation } from "../../src/platform/store/migrations/0001-foundation.ts";
import { migrate } from "../../src/platform/store/migrations/migrate.ts";
import { MIGRATIONS } from "../../src/platform/store/migrations/migrations.ts";
import { freePort } from "../harness/free-port.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { runReeve, serveReeve, startByNpm, startProgram, startReeve, stopReeve } from "./reeve-process.ts";
import type { ReeveProcess } from "./reeve-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const storage = await createStorage();
const settings = { ...storage.flags, port: "0" };
after(() => storage.remove());

/** Where a text says that people set up an account. */
const LINK = /^ {2}(http:\/\/localhost:\d+\/console\/set-up\?code=\w+)$/m;

async function readStart(reeve: ReeveProcess): Promise<{ readonly text: string; readonly link: string | null }> {
  await reeve.printed(/^Data .*\n[^]*$/m);
  const { stdout, code, stderr } = await stopReeve(reeve);
  assert.equal(code, 0, stderr);
  return { text: stdout, link: LINK.exec(stdout)?.[1] ?? null };
}

const start = () => startReeve(["serve"], { ...settings, logLevel: "error" });

/** A shell that finds no `reeve`. */
const UNINSTALLED = { PATH: process.env["PATH"] ?? "" };

test("each start prints a link that works, until one is used", async () => {
  const links: string[] = [];
  for (let starts = 0; starts < 2; starts++) {
    const { link, text } = await readStart(start());
    assert.ok(link, text);
    links.push(link);
  }
  const server = start();
  const [, last = ""] = await server.printed(LINK);
  const paths = [...links, last].map((link) => link.slice(link.indexOf("/console/")));
  const origin = new URL(last).origin;
  for (const path of paths) assert.equal((await fetch(origin + path)).status, 200, path);
  const form = new URLSearchParams({ name: "Ada", email: "ada@example.com", password: "correct horse battery staple" });
  const used = await fetch(last, { method: "POST", body: form, redirect: "manual", headers: { origin } });
  assert.equal(used.status, 303, await used.text());
  for (const path of paths) assert.equal((await fetch(origin + path)).status, 404, path);
  await stopReeve(server);
  const { text, link } = await readStart(start());
  assert.equal(link, null, text);
});

test("a token that has no effect is named at the start, and one that works is not", async () => {
  const token = "a_token_that_an_operator_has_chosen_for_a_start";
  const late = startReeve(["serve"], { ...settings, logLevel: "error", bootstrapToken: token });
  const { text } = await readStart(late);
  assert.match(text, /^REEVE_BOOTSTRAP_TOKEN has no effect: there are accounts already/m);
  assert.ok(!text.includes(token));
  const [, line = ""] = /`(.* token create .*)`/.exec(text) ?? [];
  assert.match(line, / token create --user \S+ --name NAME --data-dir \S+$/);
  const own = await createStorage();
  const given = { ...own.flags, port: "0", logLevel: "error", bootstrapToken: token };
  for (let starts = 0; starts < 2; starts++) {
    assert.doesNotMatch((await readStart(startReeve(["serve"], given))).text, /no effect/);
  }
  await own.remove();
});

/** Runs a line as a shell does. */
const runLine = (line: string, cwd: string, env: Readonly<Record<string, string>> = {}) =>
  startProgram("/bin/sh", ["-c", `cd '${cwd}' && ${line}`], storage.flags, env).ended;

test("the commands that a start and a refusal print run where they are printed", async () => {
  const own = await createStorage();
  const npm = startByNpm({ ...own.flags, port: "0", logLevel: "error" });
  const [, origin = ""] = await npm.printed(/^ {2}(http\S+)\/console\/set-up\?[^]*^It works once\./m);
  const { stdout } = await stopReeve(npm);
  const [, command = ""] = /so does `(.*)`\.$/m.exec(stdout) ?? [];
  assert.match(command, /^npm run reeve -- user sign-in-link admin /);
  const ran = await startProgram("/bin/sh", ["-c", command], {}, {}).ended;
  assert.equal(ran.code, 0, ran.stderr);
  assert.ok(ran.stdout.includes(`${origin}/console/set-up?code=`), ran.stdout);
  await own.remove();
  const { stderr } = await runReeve(["token", "list", "--user", "nobody"], storage.flags, UNINSTALLED);
  const [, list = ""] = /`(.*)` shows the accounts$/m.exec(stderr) ?? [];
  assert.match((await runLine(list, ROOT)).stdout, /^admin /m);
});

test("a printed command leads to the data that the line named", async () => {
  const own = await createStorage();
  const { dataDir, ...others } = own.flags;
  const folder = join(dataDir as string, "it's here");
  mkdirSync(folder);
  const reeve = startReeve(["serve", "--data-dir", folder], { ...others, port: "0", logLevel: "error" }, UNINSTALLED);
  await reeve.printed(/^It works once\./m);
  const [, command = ""] = /so does `(.*)`\.$/m.exec((await stopReeve(reeve)).stdout) ?? [];
  const ran = await startProgram("/bin/sh", ["-c", command], others, {}).ended;
  assert.equal(ran.code, 0, `${command}\n${ran.stderr}`);
  await own.remove();
});

test("a printed link is that of the server which the line started", async () => {
  const own = await createStorage();
  const asked = String(await freePort());
  for (const [args, origin] of [
    [["--port", asked], `http://localhost:${asked}`],
    [["--port=0"], null],
    [["--port", asked, "--public-url", "https://reeve.example.com/own"], "https://reeve.example.com/own"],
  ] as const) {
    const reeve = startReeve(["serve", ...args], { ...own.flags, logLevel: "error" });
    const [, link = ""] = await reeve.printed(/^ {2}(\S+)\/console\/set-up\?code=/m);
    await reeve.printed(/^It works once\./m);
    const [, command = ""] = /so does `(.*)`\.$/m.exec((await stopReeve(reeve)).stdout) ?? [];
    if (origin !== null) assert.equal(link, origin);
    const ran = await startProgram("/bin/sh", ["-c", command], own.flags, {}).ended;
    assert.equal(ran.code, 0, `${command}\n${ran.stderr}`);
    assert.ok(ran.stdout.includes(`  ${link}/console/set-up?code=`), `${link}: ${ran.stdout}`);
  }
  await own.remove();
});

test("a printed command leads to the data that variables name, without their secrets", async () => {
  const own = await createStorage();
  const folder = join(own.flags.dataDir as string, "it's here");
  mkdirSync(folder);
  const masterKey = Buffer.alloc(32, "hunter2").toString("base64");
  const reeve = startReeve(["serve"], { ...own.flags, dataDir: folder, masterKey, port: "0", logLevel: "error" });
  const [, origin = ""] = await reeve.printed(/^ {2}(http\S+)\/console\/set-up\?[^]*^It works once\./m);
  const { stdout } = await stopReeve(reeve);
  assert.ok(!stdout.includes(masterKey));
  const [, command = ""] = /so does `(.*)`\.$/m.exec(stdout) ?? [];
  const run = async (given: Flags) => await startProgram("/bin/sh", ["-c", command], given, {}).ended;
  const without = await run({});
  assert.notEqual(without.code, 0);
  assert.match(without.stderr, /REEVE_MASTER_KEY/);
  const ran = await run({ masterKey });
  assert.equal(ran.code, 0, `${command}\n${ran.stderr}`);
  assert.ok(ran.stdout.includes(`${origin}/console/set-up?code=`), ran.stdout);
  await own.remove();
});

test("help names the program as it was started, in its usage and its examples", async () => {
  const { stdout } = await runReeve(["user", "sign-in-link", "--help"], {}, UNINSTALLED);
  assert.match(stdout, /^Usage: \S*node dist\/reeve\.js user sign-in-link \[options\]/m);
  assert.match(stdout, /^ {2}\S*node dist\/reeve\.js user sign-in-link/m);
  assert.doesNotMatch(stdout, /^ {2}reeve /m);
  const installed = await runReeve(["user", "sign-in-link", "--help"], {});
  assert.match(installed.stdout, /^Usage: reeve user sign-in-link \[options\][^]*^ {2}reeve user sign-in-link/m);
});

test("where it was started decides what stands in for reeve", () => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-commands-"));
  after(() => rmSync(folder, { recursive: true }));
  const checkout = join(folder, "a checkout");
  for (const path of ["src/cli", "bin"]) mkdirSync(join(checkout, path), { recursive: true });
  writeFileSync(join(checkout, "src/cli/main.ts"), "");
  writeFileSync(join(checkout, "bin/reeve.js"), "");
  const project = join(folder, "project");
  const installed = join(project, "node_modules/package/dist/reeve.js");
  mkdirSync(join(project, "node_modules/package/dist"), { recursive: true });
  mkdirSync(join(project, "node_modules/.bin"));
  writeFileSync(installed, "");
  symlinkSync("../package/dist/reeve.js", join(project, "node_modules/.bin/reeve"));
  const path = join(folder, "path");
  mkdirSync(path);
  const script = join(checkout, "bin/reeve.js");
  const npm = { npm_lifecycle_event: "start" };
  const node = join(path, "node");
  writeFileSync(node, "");
  const command = (facts: Partial<Parameters<typeof ownCommand>[0]>) =>
    ownCommand({ script, node, cwd: checkout, environment: { PATH: path }, container: null, ...facts });
  assert.equal(command({ environment: npm }), "npm run reeve --");
  assert.equal(command({ environment: { ...npm, INIT_CWD: join(checkout, "src") } }), "npm run reeve --");
  assert.equal(command({ environment: { ...npm, INIT_CWD: folder } }), `npm --prefix '${checkout}' run reeve --`);
  assert.equal(command({}), "node bin/reeve.js");
  assert.equal(command({ cwd: folder }), "node 'a checkout/bin/reeve.js'");
  assert.equal(command({ cwd: path }), `node '${script}'`);
  const link = join(project, "node_modules/.bin/reeve");
  assert.equal(command({ script: link, cwd: project }), "npx reeve");
  // npm has put that folder into the path of what it runs.
  const environment = { ...npm, PATH: join(project, "node_modules/.bin") };
  assert.equal(command({ script: link, cwd: project, environment }), "npx reeve");
  assert.equal(command({ script: installed, cwd: path }), `node ${installed}`);
  assert.equal(command({ node: process.execPath }), `${process.execPath} bin/reeve.js`, "the shell has another node");
  symlinkSync(installed, join(path, "reeve"));
  assert.equal(command({ script: installed }), "reeve");
  assert.equal(command({}), "node bin/reeve.js", "the reeve of the path is another one");
  assert.equal(command({ container: "3f2a4c5d6e7f" }), "docker exec 3f2a4c5d6e7f reeve");
});

/** Serves on a terminal, sends a request, and returns what the terminal shows, which has to show `awaited` before the server ends. */
async function showOnTerminal(awaited: RegExp, ...args: readonly string[]): Promise<string> {
  const line = [process.execPath, join(ROOT, "dist/reeve.js"), "serve", "--port", "0", ...args].join(" ");
  const env = { ...process.env, REEVE_DATA_DIR: storage.flags.dataDir as string };
  const terminal = spawn("script", ["-qec", `exec ${line}`, "/dev/null"], { env });
  let shown = "";
  const url = new Promise<string>((resolve) => {
    terminal.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString();
      const found = /^Data[^]*\n/m.test(shown) ? /Reeve listens on {2}(\S+)/.exec(shown)?.[1] : undefined;
      if (found !== undefined) resolve(found);
    });
  });
  assert.equal((await fetch(`${await url}/v2/user`)).status, 401);
  await waitFor(`the terminal to show ${awaited}`, () => awaited.test(shown) || undefined);
  terminal.stdin.write("\u0003");
  await once(terminal, "close");
  return shown;
}

test("a terminal shows no line for a request unless it is asked for", async () => {
  assert.doesNotMatch(await showOnTerminal(/listens/), /GET \/v2\/user|stopping/);
  await showOnTerminal(/GET \/v2\/user 401/, "--log-level", "info");
});

test("without a terminal each request has its line", async () => {
  const server = await serveReeve({ ...storage.flags, logLevel: "info" });
  await fetch(`${server.url}/v2/user`);
  assert.match((await stopReeve(server)).stderr, /"route":"\/v2\/user"/);
});

test("a migration of a store that has data has a line for each version, and one for the commit", async () => {
  const own = await createStorage();
  const old = await openDatabase(readSettings(own.flags, {}));
  await migrate(old, null, 0, [foundation]);
  await old.close();
  const { code, stderr } = await runReeve(["migrate"], own.flags);
  assert.equal(code, 0, stderr);
  const versions = [...stderr.matchAll(/^Schema version (\d+) of (\d+): .+$/gm)].map(([, version]) => Number(version));
  assert.deepEqual(
    versions,
    MIGRATIONS.slice(1).map(({ version }) => version),
  );
  // The end of all, which may take longest, has one of its own.
  assert.match(stderr, /^Schema version (\d+) of \1: .+\nCommits all of it, /m);
  await own.remove();
});
