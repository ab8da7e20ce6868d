// `reeve env push` of odd values, `reeve env pull` of them in every form, and the push of what was pulled, which changes nothing.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { PLACE, startApplicationWorld } from "./application-world.ts";

const world = await startApplicationWorld();
after(world.stop);
const at = (name: string) => join(world.folder, name);

/** Node.js drops carriage returns, and takes a single quote beside one of `"`, `$`, `\` and a backtick for something else. */
const NOT_FOR_NODE = { RETURNS: "one\r\ntwo\rthree\r\n", QUOTES: `it's "$HOME" \\n \`id\`` };
const VALUES = {
  ...NOT_FOR_NODE,
  LINES: "one\n\n# two\nTHREE=3\n",
  HASH: "a#b #c",
  EQUALS: "=a=b=",
  EXPANDED: "$HOME ${HOME} $(id) `id` %PATH% !!",
  DOUBLE: 'say "\\n"',
  SINGLE: "it's",
  UNICODE: "pässwörd 日本語 🗝️ \u2028\u0085\uFEFF",
  SPACES: "  both sides \t ",
  EMPTY: "",
  DASH: "-n",
  PATH_END: "C:\\temp\\",
  YES: "yes",
  NULL: "null",
  EXPONENT: "1e3",
  OCTAL: "0o7",
  VERSION: "1.10",
  LONG: `${"'\"\\$\n".repeat(13_000)}😀`,
  on: "a",
  y: "b",
};

async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await world.run(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

writeFileSync(at("all.json"), JSON.stringify(VALUES));
await succeed("env", "push", at("all.json"), ...PLACE, "--plain", "LINES,UNICODE,E*", "--yes");

test("what was pulled in any form differs in nothing, and its push changes nothing", async () => {
  for (const format of ["dotenv", "json", "yaml", "shell", "kubernetes"]) {
    const file = at(`pulled.${format}`);
    await succeed("env", "pull", ...PLACE, "--format", format, "--output", file);
    assert.equal(await succeed("env", "diff", file, ...PLACE, "--format", format), "Nothing differs.\n", format);
    const pushed = await succeed("env", "push", file, ...PLACE, "--format", format, "--prune", "--yes");
    assert.equal(pushed, "Nothing differs.\n", format);
  }
});

test("another environment gets exactly the values by any form", async () => {
  for (const format of ["dotenv", "yaml", "shell", "kubernetes"]) {
    const other = [...PLACE.slice(0, -1), "preview"];
    await succeed("env", "push", at(`pulled.${format}`), ...other, "--format", format, "--yes");
    const response = await world.call("GET", "/v1/environments/shop/preview/values?slug=acme");
    assert.deepEqual(await response.json(), VALUES, format);
    writeFileSync(at("none.json"), "{}");
    await succeed("env", "push", at("none.json"), ...other, "--prune", "--allow-empty", "--yes");
  }
});

test("Node.js reads what was pulled as .env", async () => {
  const program = `process.loadEnvFile(process.argv[1]); console.log(JSON.stringify(process.env))`;
  const env = { PATH: process.env["PATH"] };
  const loaded = JSON.parse(
    execFileSync(process.execPath, ["-e", program, at("pulled.dotenv")], { encoding: "utf8", env }),
  );
  const { LONG, ...short } = VALUES;
  const readable = Object.keys(short).filter((name) => !Object.hasOwn(NOT_FOR_NODE, name));
  assert.ok(readable.length > 15 && LONG.length > 0);
  for (const name of readable) assert.equal(loaded[name], short[name as keyof typeof short], name);
});

test("the values that Node.js, dotenv or a shell reads otherwise are named, and nothing of them", async () => {
  const file = at("told.env");
  const { code, stderr } = await world.run(["env", "pull", ...PLACE, "--output", file]);
  const end = "take reeve run, or another --format for it.";
  assert.deepEqual(
    [code, ...stderr.trimEnd().split("\n")],
    [
      0,
      `Node.js (--env-file) reads other values of LONG, QUOTES, RETURNS: ${end}`,
      `dotenv reads other values of LONG, QUOTES: ${end}`,
      `A shell reads other values of RETURNS: ${end}`,
      `Wrote ${Object.keys(VALUES).length} values to ${file}.`,
    ],
  );
  assert.match(readFileSync(file, "utf8"), /^RETURNS="one\\r\ntwo\\rthree\\r\n"$/m);
  assert.match(readFileSync(file, "utf8"), /\nPATH_END='C:\\temp\\'\n$/);
  const plain = await world.run(["env", "pull", ...PLACE, "--names", "LINES,SPACES"]);
  assert.equal(plain.stderr, "");
  const json = await world.run(["env", "pull", ...PLACE, "--format", "json"]);
  assert.equal(json.stderr, "");
});

test("a shell that reads what was pulled runs nothing of it", () => {
  const script = 'set -a; . "$0"; env -0';
  for (const shell of ["sh", "bash"]) {
    const env = { PATH: process.env["PATH"] };
    const printed = execFileSync(shell, ["-c", script, at("pulled.dotenv")], { env })
      .toString()
      .split("\0");
    const seen = new Map(printed.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)]));
    const { LONG: _long, RETURNS: _returns, ...readable } = VALUES;
    for (const [name, value] of Object.entries(readable)) assert.equal(seen.get(name), value, `${shell}: ${name}`);
  }
});
