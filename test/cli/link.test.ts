// What commands of a folder are about: flags, then variables, then the file of `reeve link`, which a hostile repository may bring.
import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { needsTeam, positionalsOf } from "../../src/cli/resources/call-input.ts";
import { endpointOf } from "../../src/cli/resources/operation-command.ts";
import { RESOURCES } from "../../src/cli/resources/resources.ts";
import { startApplicationWorld } from "./application-world.ts";
import type { Ended, Environment } from "./in-process.ts";
import { startProgram } from "./reeve-process.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, remote, run, server } = world;
await world.set("production", { STAGE: { value: "production" } });
await world.set("development", { STAGE: { value: "development" } });

const checkout = join(folder, "checkout");
const below = join(checkout, "packages/web");
mkdirSync(below, { recursive: true });
const file = join(checkout, ".reeve.json");

const reeve = async (line: string, more: Environment = {}, cwd = below): Promise<Ended> =>
  await run(line.split(" "), more, { cwd });
/** The value that the place of the command line has. */
async function stage(line = "", more = {}, cwd = below): Promise<string> {
  return (await reeve(`env pull ${line}`.trim(), more, cwd)).stdout.replace(/^STAGE=(.*)\n$/, "$1");
}
/** Runs a line in a shell, in the folder, where `reeve` is the program. */
const shell = async (line: string, cwd: string) =>
  await startProgram("/bin/sh", ["-c", `cd '${cwd}' && ${line}`], {}, remote).ended;

test("reeve link writes a file that commands in the folder and below it take their names from", async () => {
  assert.equal((await reeve("link")).stdout, "Nothing is linked here.\n");
  const written = await reeve("link -t acme --project shop -e production", {}, checkout);
  assert.deepEqual(written, { code: 0, stdout: `Wrote ${file}.\n`, stderr: "" });
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { team: "acme", project: "shop", env: "production" });
  assert.equal(await stage(), "production");
  assert.equal((await shell("reeve run -- printenv STAGE", below)).stdout, "production\n");
  assert.equal((await reeve("env pull")).stdout, "STAGE=production\n");
  assert.match((await reeve("secrets list")).stderr, /^$/);
  const shown = JSON.parse((await reeve("link --json")).stdout);
  assert.deepEqual(shown.env, { value: "production", by: file });
});

test("a flag wins over a variable, and a variable over the file", async () => {
  assert.equal(await stage("", { REEVE_ENV: "development" }), "development");
  assert.equal(await stage("-e production", { REEVE_ENV: "development" }), "production");
  assert.equal(await stage("--env=development", { REEVE_ENV: "production" }), "development");
  assert.equal(await stage("-t acme -p shop -edevelopment", {}, folder), "development");
  const variables = { REEVE_TEAM: "acme", REEVE_PROJECT: "shop", REEVE_ENV: "development" };
  assert.equal(await stage("", variables, folder), "development");
});

test("a message names the flag as it was typed, or what stands in for it", async () => {
  const place = `reeve: ${server.url} has no project "shpo" for this credential`;
  for (const [line, more, by] of [
    ["-p shpo", {}, "-p"],
    ["--project shpo", {}, "--project"],
    ["--project=shpo", {}, "--project"],
    ["", { REEVE_PROJECT: "shpo" }, "REEVE_PROJECT"],
  ] as const) {
    assert.equal((await reeve(`env pull ${line}`.trim(), more)).stderr, `${place} (${by}); did you mean shop?\n`);
  }
  writeFileSync(file, '{"team":"acme","project":"shpo","env":"production"}');
  assert.equal((await reeve("env pull")).stderr, `${place} (${file}); did you mean shop?\n`);
  assert.match(
    (await reeve("env pull -t acme", {}, folder)).stderr,
    /^reeve: --project: expected the name of a project \(or REEVE_PROJECT, or `[^`]*link --project NAME --server \S+ --team acme` in this folder\)/,
  );
  assert.match(
    (await reeve("members list", {}, folder)).stderr,
    /^reeve: --team: expected the id or slug of the team \(or REEVE_TEAM/,
  );
});

test("reeve link refuses what the server does not have, and writes nothing", async () => {
  rmSync(file);
  assert.match(
    (await reeve("link -t acm -p shop", {}, checkout)).stderr,
    /has no team "acm" for this credential \(-t\); did you mean acme\?$/m,
  );
  assert.match((await reeve("link -t acme -p shop -e prod", {}, checkout)).stderr, /has no environment "prod" of shop/);
  assert.match(
    (await reeve("link -t acme -e production", {}, checkout)).stderr,
    /^reeve: --project: expected it beside --env$/m,
  );
  assert.equal((await reeve("link")).stdout, "Nothing is linked here.\n");
});

test("a file with anything else, or of somebody else, is refused: it changes neither the server nor the credential", async () => {
  const hostile = [
    '{"team":"acme","server":"http://127.0.0.1:1"}',
    '{"team":"acme","token":"rvt_0123456789abcdef"}',
    '{"team":"acme","context":"work"}',
    '{"team":"../../v2/user"}',
    '{"team":""}',
    "{}",
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
    const { code, stdout, stderr } = await reeve("secrets list");
    assert.deepEqual(
      [code, stdout, stderr.startsWith(`reeve: ${file}: `)],
      [2, "", true],
      `${String(text)}: ${stderr}`,
    );
    // With a flag for every name the file is not read.
    assert.equal(await stage("-t acme -p shop -e production"), "production");
  }
  writeFileSync(file, '{"team":"acme"}');
  chmodSync(file, 0o666);
  assert.match((await reeve("secrets list")).stderr, /every account may write it/);
  rmSync(file);
  symlinkSync("/dev/zero", file);
  assert.match((await reeve("secrets list")).stderr, /expected a regular file/);
  rmSync(file);
  if (process.getuid?.() !== 0) return;
  writeFileSync(file, '{"team":"acme"}');
  chownSync(file, 65_534, 65_534);
  assert.match((await reeve("secrets list")).stderr, /it belongs to another account/);
  rmSync(file);
});

test("what is advised at a file that cannot be used works, and each member is there once", async () => {
  writeFileSync(file, '{"team":"acme","team":"other","project":"shop","env":"production"}');
  const twice = await reeve("secrets list");
  assert.deepEqual([twice.code, twice.stdout], [2, ""]);
  assert.match(twice.stderr, /: expected each member once, and team is there twice; /);
  writeFileSync(file, '{"team":"acme","project":"shop"');
  const { stderr } = await reeve("secrets list");
  assert.match(
    stderr,
    /: expected JSON; write it again \(`[^`]* link --team TEAM --server \S+` in its folder\), or add --no-link/,
  );
  assert.equal(await stage("-t acme -p shop -e development --no-link"), "development");
  assert.equal((await reeve("link --team acme -p shop", {}, checkout)).stdout, `Wrote ${file}.\n`);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { team: "acme", project: "shop" });
  chmodSync(file, 0o666);
  const [, command = ""] = /run `(.*)`$/m.exec((await reeve("secrets list")).stderr) ?? [];
  assert.equal((await shell(command, below)).code, 0, command);
  assert.equal((await reeve("secrets list")).code, 0);
  rmSync(file);
});

test("--no-link is about one's own account in a folder of a team, and a change says on a terminal where its names come from", async () => {
  writeFileSync(file, '{"team":"acme","project":"shop","env":"production"}');
  const typed = async (line: string) => (await shell(`script -qec 'reeve ${line}' /dev/null`, below)).stdout;
  const named = `team acme (${file})`;
  assert.ok((await typed("secrets generate FROM_A_FILE")).includes(named));
  assert.ok(!(await typed("secrets generate FROM_A_FLAG --team acme")).includes(file));
  assert.ok(!(await typed("secrets list")).includes(file));
  assert.ok(!(await reeve("secrets generate QUIET")).stderr.includes(file));
  assert.match((await reeve("secrets list")).stdout, /QUIET/);
  const own = await reeve("secrets list --no-link");
  assert.deepEqual([own.code, own.stdout.includes("QUIET")], [0, false], own.stderr);
  rmSync(file);
});

test("an empty variable is refused: without it a command would work on something else, or as somebody else", async () => {
  for (const name of ["REEVE_TEAM", "REEVE_PROJECT", "REEVE_ENV", "REEVE_TOKEN", "REEVE_SERVER"]) {
    const { code, stdout, stderr } = await reeve("secrets list", { [name]: "" });
    assert.deepEqual([code, stdout], [78, ""]);
    assert.equal(stderr, `reeve: ${name}: expected a value, got nothing; without one, unset it\n`);
  }
});

test("requests, events and decisions are about the team of the folder too, and a request about one that it names itself", async () => {
  const linked = join(folder, "linked");
  mkdirSync(linked);
  const link = join(linked, ".reeve.json");
  writeFileSync(link, '{"team":"alpha"}');
  await world.call("POST", "/v1/teams", { slug: "alpha", name: "Alpha" });
  await world.call("POST", "/v1/teams", { slug: "beta", name: "Beta" });
  for (const [query, name] of [
    ["?slug=alpha", "OF_ALPHA"],
    ["?slug=beta", "OF_BETA"],
    ["", "OWN"],
  ]) {
    assert.equal((await world.call("POST", `/v3/secrets${query}`, { name, value: "1" })).status, 200);
  }
  const variable = { REEVE_TEAM: "alpha" };
  const namesOf = ({ code, stdout, stderr }: Ended) => {
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { secrets: { name: string }[] }).secrets.map(({ name }) => name);
  };
  for (const [line, more, cwd, name] of [
    ["api GET /v2/secrets", {}, linked, "OF_ALPHA"],
    ["api get /v3/secrets/../../v2/secrets", {}, linked, "OF_ALPHA"],
    ["api GET /v2/secrets", variable, folder, "OF_ALPHA"],
    ["api GET /v2/secrets -t alpha", {}, folder, "OF_ALPHA"],
    ["api GET /v2/%73ecrets", variable, folder, "OF_ALPHA"],
    ["api GET /%76%32/secret%73", variable, folder, "OF_ALPHA"],
    ["api GET /v2/secrets -t beta", variable, linked, "OF_BETA"],
    ["api GET /v2/secrets?slug=beta", variable, linked, "OF_BETA"],
    ["api GET /v2/secrets -f slug=beta", variable, linked, "OF_BETA"],
    ["api GET /v2/secrets -F slug=beta --paginate", variable, linked, "OF_BETA"],
    ["api GET /v2/secrets --no-link", {}, linked, "OWN"],
    ["api GET /v2/secrets", {}, folder, "OWN"],
  ] as const) {
    assert.deepEqual(namesOf(await reeve(line, more, cwd)), [name], line);
  }
  assert.equal((await reeve("api POST /v3/secrets -f name=MADE -f value=1", {}, linked)).code, 0);
  assert.deepEqual(namesOf(await reeve("api GET /v2/secrets?slug=alpha", {}, folder)).toSorted(), ["MADE", "OF_ALPHA"]);
  // What no team owns is asked without one.
  const elsewhere = { REEVE_TEAM: "no-such-team" };
  for (const path of ["/v2/user", "/v2/teams", "/v2/teams/acme"]) {
    assert.equal((await reeve(`api GET ${path}`, elsewhere, folder)).code, 0, path);
  }
  assert.equal((await reeve("api GET /v2/secrets", elsewhere, folder)).code, 6);
  const both = await reeve("api GET /v2/secrets?slug=beta -t alpha", {}, folder);
  assert.deepEqual([both.code, both.stderr.startsWith("reeve: -t: ")], [2, true], both.stderr);
  for (const [line, name] of [
    ["api GET /v2/secrets -f teamId=", "query.teamId"],
    ["api GET /v2/secrets?slug=", "query.slug"],
    ["api GET /v2/secrets -F slug=null", "query.slug"],
    ["api GET /v2/secrets -F search=[]", "query.search"],
  ] as const) {
    const { code, stdout, stderr } = await reeve(line, {}, linked);
    assert.deepEqual([code, stdout], [2, ""], line);
    assert.match(stderr, new RegExp(`^reeve: ${name}: expected .*\n$`));
  }
  for (const path of ["/v2/secrets#x", "/v2/secrets?limit=1#", "/v2/secrets#?slug=beta"]) {
    const { code, stdout, stderr } = await reeve(`api GET ${path}`, variable, folder);
    assert.deepEqual([code, stdout, stderr.startsWith("reeve: <path>: ")], [2, "", true], stderr);
  }
  const filter = "/v1/environments/shop/production/values?slug=acme";
  assert.equal((await reeve(`api GET ${filter} -f names=`, {}, folder)).code, 3);
  const eventsOf = async (line: string, cwd: string, more = {}) => {
    const { code, stdout, stderr } = await reeve(`events list --json sequence,type,entityId${line}`, more, cwd);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const ofTeam = await eventsOf(" --team alpha", folder);
  assert.notEqual(await eventsOf("", folder), ofTeam);
  assert.deepEqual(
    [
      await eventsOf("", linked),
      await eventsOf("", folder, variable),
      await eventsOf(" -t alpha", folder),
      await eventsOf(" --no-link", linked),
    ],
    [ofTeam, ofTeam, ofTeam, await eventsOf("", folder)],
  );
  for (const [line, more, cwd, place] of [
    ["", {}, linked, ` in the team alpha (${link})`],
    ["", variable, folder, " in the team alpha (REEVE_TEAM)"],
    [" -t alpha", {}, folder, " in the team alpha (-t)"],
    [" --no-link", {}, linked, ""],
  ] as const) {
    const { stderr } = await reeve(`gate why UfzlfYGPYJ0007${line}`, more, cwd);
    assert.ok(stderr.startsWith(`reeve: ${server.url} has no decision UfzlfYGPYJ0007${place}. `), stderr);
  }
});

test("every command that needs a team takes it from a flag, a variable or the folder", async () => {
  const linked = join(folder, "linked");
  mkdirSync(linked, { recursive: true });
  writeFileSync(join(linked, ".reeve.json"), '{"team":"acme"}');
  const lines = RESOURCES.flatMap(({ name, commands }) =>
    Object.entries(commands).flatMap(([verb, row]) => {
      if ("load" in row || !needsTeam(row, endpointOf(row.operation))) return [];
      const args = positionalsOf(row, endpointOf(row.operation)).map(() => "no-such-thing");
      return [[name, verb, ...args, ...(row.confirm === undefined ? [] : ["--yes"])].join(" ")];
    }),
  );
  assert.ok(lines.includes("members remove no-such-thing --yes"), lines.join("\n"));
  for (const line of lines) {
    for (const [more, words, cwd] of [
      [{ REEVE_TEAM: "acme" }, line, folder],
      [{}, `${line} -t acme`, folder],
      [{}, line, linked],
    ] as const) {
      assert.doesNotMatch((await reeve(words, more, cwd)).stderr, /^reeve: (?:--team|-t): /, words);
    }
  }
});
