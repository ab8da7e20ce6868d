// What commands of a folder are about: flags, then variables, then the file of `reeve link`, which a hostile repository may bring.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, remote, server } = world;
const MAIN = join(import.meta.dirname, "../../dist/reeve.js");
await world.set("production", { STAGE: { value: "production" } });
await world.set("development", { STAGE: { value: "development" } });

const checkout = join(folder, "checkout");
const below = join(checkout, "packages/web");
mkdirSync(below, { recursive: true });
const file = join(checkout, ".reeve.json");

function reeve(line: string, more: Readonly<Record<string, string>> = {}, cwd = below) {
  const env = { PATH: process.env["PATH"] ?? "", ...remote, ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...line.split(" ")], {
    cwd,
    env,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}
const stage = (line = "", more = {}, cwd = below) =>
  reeve(`run ${line} -- printenv STAGE`.replace("  ", " "), more, cwd).stdout.trim();

test("reeve link writes a file that commands in the folder and below it take their names from", () => {
  assert.equal(reeve("link").stdout, "Nothing is linked here.\n");
  const written = reeve("link -t acme --project shop -e production", {}, checkout);
  assert.deepEqual(written, { code: 0, stdout: `Wrote ${file}.\n`, stderr: "" });
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { team: "acme", project: "shop", env: "production" });
  assert.equal(stage(), "production");
  assert.equal(reeve("env pull").stdout, "STAGE=production\n");
  assert.match(reeve("secrets list").stderr, /^$/);
  const shown = JSON.parse(reeve("link --json").stdout);
  assert.deepEqual(shown.env, { value: "production", by: file });
});

test("a flag wins over a variable, and a variable over the file", () => {
  assert.equal(stage("", { REEVE_ENV: "development" }), "development");
  assert.equal(stage("-e production", { REEVE_ENV: "development" }), "production");
  assert.equal(stage("--env=development", { REEVE_ENV: "production" }), "development");
  assert.equal(stage("-t acme -p shop -edevelopment", {}, folder), "development");
  const variables = { REEVE_TEAM: "acme", REEVE_PROJECT: "shop", REEVE_ENV: "development" };
  assert.equal(stage("", variables, folder), "development");
});

test("a message names the flag as it was typed, or what stands in for it", () => {
  const place = `reeve: ${server.url} has no project "shpo" for this credential`;
  for (const [line, more, by] of [
    ["-p shpo", {}, "-p"],
    ["--project shpo", {}, "--project"],
    ["--project=shpo", {}, "--project"],
    ["", { REEVE_PROJECT: "shpo" }, "REEVE_PROJECT"],
  ] as const) {
    assert.equal(reeve(`env pull ${line}`.trim(), more).stderr, `${place} (${by}); did you mean shop?\n`);
  }
  writeFileSync(file, '{"team":"acme","project":"shpo","env":"production"}');
  assert.equal(reeve("env pull").stderr, `${place} (${file}); did you mean shop?\n`);
  assert.match(
    reeve("env pull -t acme", {}, folder).stderr,
    /^reeve: --project: expected the name of a project \(or REEVE_PROJECT, or `[^`]*link --project NAME --server \S+ --team acme` in this folder\)/,
  );
  assert.match(
    reeve("members list", {}, folder).stderr,
    /^reeve: --team: expected the id or slug of the team \(or REEVE_TEAM/,
  );
});

test("reeve link refuses what the server does not have, and writes nothing", () => {
  rmSync(file);
  assert.match(
    reeve("link -t acm -p shop", {}, checkout).stderr,
    /has no team "acm" for this credential \(-t\); did you mean acme\?$/m,
  );
  assert.match(reeve("link -t acme -p shop -e prod", {}, checkout).stderr, /has no environment "prod" of shop/);
  assert.match(
    reeve("link -t acme -e production", {}, checkout).stderr,
    /^reeve: --project: expected it beside --env$/m,
  );
  assert.equal(reeve("link").stdout, "Nothing is linked here.\n");
});

test("a file with anything else, or of somebody else, is refused: it changes neither the server nor the credential", () => {
  const hostile = [
    '{"team":"acme","server":"http://127.0.0.1:1"}',
    '{"team":"acme","token":"rvt_0123456789abcdef"}',
    '{"team":"acme","context":"work"}',
    '{"team":"../../v2/user"}',
    '{"team":""}',
    '{"team":["acme"]}',
    '{"__proto__":{"team":"acme"}}',
    '["acme"]',
    "null",
    "{",
    `{"team":"${"a".repeat(5_000)}"}`,
    Buffer.from('{"team":"Jos\xe9"}', "latin1"),
  ];
  for (const text of hostile) {
    writeFileSync(file, text);
    const { code, stdout, stderr } = reeve("secrets list");
    assert.deepEqual(
      [code, stdout, stderr.startsWith(`reeve: ${file}: `)],
      [2, "", true],
      `${String(text)}: ${stderr}`,
    );
    // With a flag for every name the file is not read.
    assert.equal(stage("-t acme -p shop -e production"), "production");
  }
  writeFileSync(file, '{"team":"acme"}');
  chmodSync(file, 0o666);
  assert.match(reeve("secrets list").stderr, /every account may write it/);
  rmSync(file);
  symlinkSync("/dev/zero", file);
  assert.match(reeve("secrets list").stderr, /expected a regular file/);
  rmSync(file);
  if (process.getuid?.() !== 0) return;
  writeFileSync(file, '{"team":"acme"}');
  chownSync(file, 65_534, 65_534);
  assert.match(reeve("secrets list").stderr, /it belongs to another account/);
  rmSync(file);
});

test("what is advised at a file that cannot be used works, and each member is there once", () => {
  writeFileSync(file, '{"team":"acme","team":"other","project":"shop","env":"production"}');
  const twice = reeve("secrets list");
  assert.deepEqual([twice.code, twice.stdout], [2, ""]);
  assert.match(twice.stderr, /: expected each member once, and team is there twice; /);
  writeFileSync(file, '{"team":"acme","project":"shop"');
  const { stderr } = reeve("secrets list");
  assert.match(
    stderr,
    /: expected JSON; write it again \(`[^`]* link --team TEAM --server \S+` in its folder\), or add --no-link/,
  );
  assert.equal(stage("-t acme -p shop -e development --no-link"), "development");
  assert.equal(reeve("link --team acme -p shop", {}, checkout).stdout, `Wrote ${file}.\n`);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { team: "acme", project: "shop" });
  chmodSync(file, 0o666);
  const [, command = ""] = /run `(.*)`$/m.exec(reeve("secrets list").stderr) ?? [];
  assert.equal(spawnSync("/bin/sh", ["-c", command]).status, 0, command);
  assert.equal(reeve("secrets list").code, 0);
  rmSync(file);
});

test("--no-link is about one's own account in a folder of a team, and a change says on a terminal where its names come from", () => {
  writeFileSync(file, '{"team":"acme","project":"shop","env":"production"}');
  const typed = (line: string) =>
    spawnSync("script", ["-qec", `'${process.execPath}' '${MAIN}' ${line}`, "/dev/null"], {
      cwd: below,
      env: { PATH: process.env["PATH"] ?? "", ...remote },
      encoding: "utf8",
      input: "",
    }).stdout;
  const named = `team acme (${file})`;
  assert.ok(typed("secrets generate FROM_A_FILE").includes(named));
  assert.ok(!typed("secrets generate FROM_A_FLAG --team acme").includes(file));
  assert.ok(!typed("secrets list").includes(file));
  assert.ok(!reeve("secrets generate QUIET").stderr.includes(file));
  assert.match(reeve("secrets list").stdout, /QUIET/);
  const own = reeve("secrets list --no-link");
  assert.deepEqual([own.code, own.stdout.includes("QUIET")], [0, false], own.stderr);
  rmSync(file);
});

test("an empty variable is refused: without it a command would work on something else, or as somebody else", () => {
  for (const name of ["REEVE_TEAM", "REEVE_PROJECT", "REEVE_ENV", "REEVE_TOKEN", "REEVE_SERVER"]) {
    const { code, stdout, stderr } = reeve("secrets list", { [name]: "" });
    assert.deepEqual([code, stdout], [78, ""]);
    assert.equal(stderr, `reeve: ${name}: expected a value, got nothing; without one, unset it\n`);
  }
});
