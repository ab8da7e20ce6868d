// `--json`, `--jq` and the exit codes of refusals: what scripts hold on to.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "../harness/free-port.ts";
import { runReeve } from "./in-process.ts";
import { startRemoteWorld } from "./remote-world.ts";

const { remote: REMOTE, folder, flags } = await startRemoteWorld();
const run = async (args: readonly string[], more = {}) => await runReeve(args, {}, { ...REMOTE, ...more });
/** Runs on the database itself. */
const runHere = async (args: readonly string[]) => await runReeve(args, flags, {});

for (const args of ["acme --name Acme", "beta --name Бета"]) {
  assert.equal((await run(["teams", "create", ...args.split(" ")])).code, 0);
}

/** What the manual of jq says of these expressions. */
const EXPRESSIONS: readonly (readonly [expression: string, printed: string])[] = [
  [".[].slug", "beta\nacme\n"],
  ["map({slug, n: (.name | length)})[]", '{"slug":"beta","n":4}\n{"slug":"acme","n":4}\n'],
  ['map(select(.slug | test("^A"; "i"))) | length', "1\n"],
  [".[0].name", "Бета\n"],
  [".[] | select(.slug == $ENV.HOME)", ""],
  ["-(length)", "-2\n"],
  [".[1].missing // empty", ""],
  ['"a\\tb\\u0000c"', "a\tb\0c\n"],
];

test("--jq prints what the expression makes of a list, for programs byte for byte", async () => {
  for (const [expression, printed] of EXPRESSIONS) {
    const { code, stdout, stderr } = await run(["teams", "list", "--jq", expression]);
    assert.deepEqual([code, stdout, stderr], [0, printed, ""], expression);
  }
});

test("--jq gets the fields of --json, of a single object and of the body of any request", async () => {
  assert.equal(
    (await run(["teams", "view", "acme", "--json", "slug,name", "--jq", "keys"])).stdout,
    '["name","slug"]\n',
  );
  assert.equal((await run(["api", "GET", "/v2/teams", "--jq", ".teams[].slug"])).stdout, "beta\nacme\n");
  assert.equal(
    (await run(["api", "GET", "/v2/teams", "-f", "limit=1", "--paginate", "--jq", ".teams[0].slug"])).stdout,
    "beta\nacme\n",
  );
  assert.equal((await run(["whoami", "--jq", ".user.username"])).stdout, "admin\n");
});

test("an expression that can't be read is refused before a server is asked, and shown with what jq says", async () => {
  const nowhere = { REEVE_SERVER: `http://127.0.0.1:${await freePort()}` };
  for (const expression of [".[", "nothing(1)", ""]) {
    const { code, stdout, stderr } = await run(["teams", "create", "gamma", "--jq", expression], nowhere);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    assert.match(stderr, /^reeve: --jq: (?:syntax error|nothing\/1 is not defined|expected a value)/);
  }
});

test("what a command made is printed whole where it can't be chosen from", async () => {
  const made = await run(["tokens", "create", "--name", "ci", "--jq", ".[0]"]);
  assert.equal(made.code, 2);
  assert.match(made.stderr, /^reeve: --jq: Cannot index object with number/);
  const bearer = JSON.parse(made.stdout).bearerToken as string;
  assert.equal((await run(["whoami"], { REEVE_TOKEN: bearer })).code, 0);

  const user = await runHere([
    "user",
    "create",
    "--username",
    "grace",
    "--email",
    "grace@example.com",
    "--json",
    "nme",
  ]);
  assert.equal(user.code, 2);
  assert.equal(JSON.parse(user.stdout).user.username, "grace");
  assert.match(JSON.parse(user.stderr).error.message, /there is no field "nme": choose of user/);
});

test("--json takes fields of any result, and alone prints all of them", async () => {
  assert.deepEqual(Object.keys(JSON.parse((await runHere(["doctor", "--json", "healthy"])).stdout)), ["healthy"]);
  assert.deepEqual(Object.keys(JSON.parse((await runHere(["doctor", "--json"])).stdout)), ["healthy", "findings"]);
  const [team] = JSON.parse((await run(["teams", "list", "--json", "--limit", "1"])).stdout);
  assert.deepEqual([team.slug, typeof team.createdAt], ["beta", "number"]);
});

test("the word behind --json is the file of a command that takes one, unless it is a list", async () => {
  const file = join(folder, "values.env");
  writeFileSync(file, "A=1\n");
  assert.equal(
    (
      await run([
        "env",
        "push",
        file,
        "--team",
        "acme",
        "--project",
        "shop",
        "--env",
        "development",
        "--new-project",
        "--yes",
      ])
    ).code,
    0,
  );
  const place = ["--team", "acme", "--project", "shop", "--env", "development"];
  const whole = JSON.parse((await run(["env", "diff", ...place, "--json", file])).stdout);
  const names = Object.keys(whole);
  const some = await run(["env", "diff", ...place, file, `--json=${names[0]}`]);
  assert.deepEqual(JSON.parse(some.stdout), { [String(names[0])]: whole[String(names[0])] }, some.stderr);
  const both = await run(["env", "diff", ...place, "--json", `${names[0]},${names[1]}`, file]);
  assert.deepEqual(Object.keys(JSON.parse(both.stdout)), names.slice(0, 2));
});

/** Exit codes by docs/cli.md. */
const REFUSED: readonly (readonly [line: string, code: number, env?: object])[] = [
  ["teams view acme", 5, { REEVE_TOKEN: "not_a_token_of_this_server" }],
  ["teams view acme", 5, { REEVE_TOKEN: undefined }],
  ["teams view nothing", 6],
  ["api GET /v2/teams/nothing", 6],
  ["environments view shop nothing --team acme", 6],
  ["teams list --context nothing", 6, { REEVE_SERVER: undefined, REEVE_TOKEN: undefined }],
  ["teams create acme", 7],
  ["teams create Not-A-Slug!", 3],
  ["teams list", 69, { REEVE_SERVER: "http://127.0.0.1:1" }],
];

test("scripts tell apart what is not allowed, not there and taken by the exit code", async () => {
  for (const [line, expected, env] of REFUSED) {
    const { code, stderr } = await run(line.split(" "), env);
    assert.equal(code, expected, `${line}: ${stderr}`);
  }
});
