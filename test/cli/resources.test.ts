// The commands of resources, on a server that they reach over HTTP: what they print to people and to programs, and what
// is refused.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { reply, startScripted } from "../client/scripted-server.ts";
import { freePort } from "../harness/free-port.ts";
import { runReeve } from "./in-process.ts";
import { startRemoteWorld } from "./remote-world.ts";
import { startProgram } from "./reeve-process.ts";

const { server, remote: REMOTE, folder, flags } = await startRemoteWorld();
const run = async (line: string, more = {}, input = "") =>
  await runReeve(line.split(" "), {}, { ...REMOTE, ...more }, { input });

async function succeed(line: string): Promise<string> {
  const { code, stdout, stderr } = await run(line);
  assert.equal(code, 0, `${line}: ${stderr}`);
  return stdout;
}

/** Runs a line in bash, where `reeve` is the program. */
const shell = async (line: string) => await startProgram("bash", ["-c", line], {}, REMOTE).ended;

await succeed("teams create acme --name Acme");
for (const slug of ["beta", "gamma"]) await succeed(`teams create ${slug}`);

test("a list is lines with tabs to a program, and JSON with the chosen fields", async () => {
  const lines = (await succeed("teams list")).trim().split("\n");
  assert.deepEqual(
    lines.map((line) => line.split("\t").slice(0, 2)),
    [
      ["gamma", "gamma"],
      ["beta", "beta"],
      ["acme", "Acme"],
    ],
  );
  assert.deepEqual(JSON.parse(await succeed("teams list --json slug,name --limit 1")), [
    { slug: "gamma", name: "gamma" },
  ]);
  assert.equal(JSON.parse(await succeed("teams view acme --json *")).name, "Acme");
});

test("--json names its fields when one is not there, before a server is asked", async () => {
  const nowhere = { REEVE_SERVER: `http://127.0.0.1:${await freePort()}` };
  const { code, stdout, stderr } = await run("teams list --json slug,nothing", nowhere);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(JSON.parse(stderr).error.message, /choose of id, slug, name, /);
});

test("a table on a terminal fits its width", async () => {
  const { stdout } = await shell("script -qec 'stty cols 60; reeve teams list' /dev/null");
  const rows = stdout.split("\r\n").filter((row) => /SLUG|Acme/.test(row));
  assert.equal(rows.length, 2, stdout);
  for (const row of rows) {
    // oxlint-disable-next-line no-control-regex -- what erases the progress
    const shown = row.replace(/^.*\u001B\[2K/, "");
    assert.ok(Array.from(shown).length <= 60, shown);
  }
});

test("lists are read over several pages, and end where nobody reads on", async () => {
  const body = { values: Array.from({ length: 100 }, (_, at) => ({ name: `PAGE_${at}`, value: "1" })) };
  for (const prefix of ["A", "B"]) {
    const values = body.values.map(({ name, value }) => ({ name: prefix + name, value }));
    writeFileSync(join(folder, "values.json"), JSON.stringify({ values }));
    await succeed(`api PATCH /v1/secrets/values?slug=acme --input ${join(folder, "values.json")}`);
  }
  const some = await run("secrets list --team acme");
  assert.equal(some.stdout.trim().split("\n").length, 100);
  assert.match(some.stderr, /Printed the first 100; --limit or --all prints more/);
  assert.equal((await succeed("secrets list --team acme --all")).trim().split("\n").length, 200);
  assert.equal((await succeed("secrets list --team acme --limit 150")).trim().split("\n").length, 150);
  const piped = await shell("set -o pipefail; reeve secrets list --team acme --all | head -1");
  assert.deepEqual([piped.code, piped.stderr, piped.stdout.split("\n").length], [0, "", 2]);
});

test("a secret is set from standard input and revealed as it is, bytes too", async () => {
  const set = await shell(
    "echo s3cret | reeve secrets set DB --team acme --decryptable && reeve secrets reveal DB --team acme",
  );
  assert.equal(set.stdout, "Stored version 1 of the secret DB.\ns3cret");
  assert.equal(set.stderr, "");
  const note =
    "Nobody can read it back, and environments cannot refer to it: to have one that can be read, delete it " +
    `(\`reeve secrets delete SEALED --server ${server.url} --team acme\`) and store it again with --decryptable.\n`;
  assert.equal((await run("secrets set SEALED --team acme", {}, "hidden\n")).stderr, note);
  const late = await run("secrets set SEALED --team acme --decryptable", {}, "hidden\n");
  assert.deepEqual(
    [late.stdout, late.stderr],
    [
      "Stored version 2 of the secret SEALED.\n",
      `--decryptable makes no difference to a secret that is there. ${note}`,
    ],
  );
  const made = await run("secrets generate RANDOM --team acme");
  assert.doesNotMatch(made.stdout, /value|Buffer/);
  assert.deepEqual([made.code, made.stderr], [0, note.replace("SEALED", "RANDOM")]);
  assert.equal((await run("secrets generate SESSION --team acme --decryptable")).stderr, "");
  const sealed = await run("secrets reveal SEALED --team acme");
  assert.deepEqual([sealed.code, sealed.stdout], [3, ""]);
  const reason = "it is not decryptable; create another with --decryptable";
  assert.equal(sealed.stderr, `reeve: the value is not shown: ${reason}\n`);
  for (const [octal, hex] of Object.entries({ "\\377\\000\\001": "ff 00 01", "\\000\\001": "00 01" })) {
    const store = `printf '${octal}' | reeve secrets set BIN --team acme --decryptable --binary >&2`;
    const bytes = await shell(`${store} && reeve secrets reveal BIN --team acme | od -An -tx1`);
    assert.equal(bytes.stdout.trim(), hex, bytes.stderr);
  }
  const kept = async (value: string) => (await run("secrets set KEPT --team acme --decryptable", {}, value)).stderr;
  assert.match(await kept(" padded\n"), /^The value begins or ends with white space/);
  assert.match(await kept("a\r\nb\r\n"), /^The value has line breaks of Windows/);
  const none = await run("secrets set DB --team acme");
  const piped = "pipe the value, or give its file with --value-file";
  assert.deepEqual([none.code, none.stderr], [2, `reeve: the standard input was empty: ${piped}\n`]);
  const blank = await shell("echo | reeve secrets set DB --team acme; reeve secrets set A=hunter2 --team acme");
  assert.equal(
    blank.stderr,
    `reeve: the standard input was nothing but a line break, which --keep-newline keeps: ${piped}\n` +
      'reeve: <name>: "A=…" is no name of a secret: the value is read from the standard input or --value-file\n',
  );
});

test("what destroys asks on a terminal, needs --yes without one, and --dry-run changes nothing", async () => {
  const dry = await succeed("secrets delete DB --team acme --dry-run");
  assert.match(dry, /^Would send DELETE http\S+\/v2\/secrets\/DB\?slug=acme\nuid\t/);
  const unasked = await run("secrets delete DB --team acme");
  assert.deepEqual([unasked.code, unasked.stderr.startsWith("reeve: --yes: expected it")], [2, true]);
  await succeed("secrets view DB --team acme");
  const missing = await run("secrets delete NOPE --team acme --dry-run");
  const list = `\`reeve secrets list --server ${server.url} --team acme\` lists those that there are`;
  const absent = `reeve: ${server.url} refuses: Secret not found: "NOPE" (<name>); ${list}\n`;
  assert.deepEqual([missing.code, missing.stderr], [6, absent]);
  const asked = await shell("echo n | script -qec 'reeve secrets delete DB --team acme' /dev/null");
  assert.match(asked.stdout, /Delete the secret DB\? \[y\/N\]/);
  assert.match(asked.stdout, /nothing was done/);
  await succeed("secrets delete DB --team acme --yes");
  assert.equal((await run("secrets view DB --team acme")).code, 6);
});

test("rules, members, webhooks, keys and tokens are made and listed", async () => {
  const add = "firewall rules add --team acme --project shop --name admin --condition".split(" ");
  const added = await runReeve([...add, "path pre /admin"], {}, REMOTE);
  const id = added.stdout.trim();
  assert.match(id, /^rule_/, added.stderr);
  assert.match(
    await succeed("firewall rules list --team acme --project shop"),
    /\tadmin\ttrue\tdeny\tpath pre "\/admin"\n$/,
  );
  await succeed(`firewall rules remove ${id} --team acme --project shop --yes`);
  assert.equal(await succeed("members invite ada@example.com --team acme --role MEMBER"), "Invited ada@example.com.\n");
  assert.match(await succeed("invites list --team acme"), /^ada@example\.com\temail\tMEMBER\t/);
  const secret = await succeed("webhooks create https://hooks.example.com/ --team acme --events team-*,secret-*");
  assert.match(secret, /^whsec_\S+\n$/);
  assert.match(
    await succeed("webhooks list --team acme"),
    /^https:\/\/hooks\.example\.com\/\tteam-\*,secret-\*\ttrue\t/,
  );
  assert.equal(await succeed("webhooks deliveries --failed --team acme"), "");
  const key = (await succeed("api-keys create --team acme --name reader --role VIEWER")).trim();
  assert.match((await run("whoami", { REEVE_TOKEN: key })).stdout, /You are +an API key of the team acme \(team_/);
  const dry = "api-keys create --team acme --name dry --role VIEWER --permissions secret:read --names DB_* --dry-run";
  assert.match(await succeed(dry), /^It may see names of secrets, .* knows only DB_\*\. .*\n$/);
  assert.deepEqual(Object.keys(JSON.parse(await succeed(`${dry} --json`))), ["allows"]);
  assert.match(await succeed("api-keys list --team acme"), /^reader\t.*\n$/);
  const token = (await succeed("tokens create --name one --team acme --expires 1d")).trim();
  assert.match((await run("whoami", { REEVE_TOKEN: token })).stdout, /Limited to +the team team_/);
});

test("a wrong condition of a rule is refused by its flag", async () => {
  const wrong: readonly (readonly [condition: string, code: number, message: RegExp])[] = [
    ["pth pre /admin", 3, /--condition "pth pre \/admin", type: expected one of .*path/],
    ["path prefix /admin", 3, /--condition "path prefix \/admin", operator: expected one of /],
    ['ip_address inc ["192.0.2.1"', 2, /--condition: expected JSON as a value that begins with \[, got "ip_address/],
  ];
  for (const [condition, code, message] of wrong) {
    const add = "firewall rules add --team acme --project shop --name n --condition".split(" ");
    const ended = await runReeve([...add, "path pre /x", "--condition", condition], {}, REMOTE);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
  }
});

test("events are followed, and the tail ends with the event that nobody reads", async () => {
  const line = "set -o pipefail; reeve events tail --team acme --since 0 --type 'secret-*' --json type | head -2";
  const tail = startProgram("bash", ["-c", line], {}, REMOTE);
  for (let at = 1; tail.child.exitCode === null; at++)
    await succeed(`secrets set TAIL_${at} --team acme --value-file ${import.meta.filename}`);
  const { code, stdout, stderr } = await tail.ended;
  assert.deepEqual([code, stdout], [0, '{"type":"secret-add"}\n{"type":"secret-add"}\n'], stderr);
});

test("reeve api sends fields, input and headers, follows pages, and fails as other commands do", async () => {
  assert.equal(JSON.parse(await succeed("api POST /v1/teams -f slug=delta -f name=Delta")).name, "Delta");
  assert.equal(JSON.parse(await succeed("api PATCH /v2/teams/delta -F enablePreviewFeedback=on")).slug, "delta");
  const pages = (await succeed("api GET /v2/teams?limit=1 --paginate")).trim().split("\n");
  assert.ok(pages.length === 4 && pages.every((page) => JSON.parse(page).teams.length === 1), pages.join("\n"));
  const refused = await run("api GET /v2/teams/none");
  assert.deepEqual([refused.code, JSON.parse(refused.stdout).error.code], [6, "not_found"]);
  for (const line of [
    "api FETCH /v2/teams",
    "api GET v2/teams",
    "api POST /v1/teams --paginate",
    "api GET /v2/teams -f limit",
    "api POST /v1/teams -F slug=[delta",
    "api GET /v2/user -H X-Name:→",
    "api GET /v2/user -H X-Name:",
    "tokens create --name x --expires never",
  ]) {
    assert.equal((await run(line)).code, 2, line);
  }
});

test("a wrong token, no server, no context, an overloaded server and a missing team have exit codes and sentences", async () => {
  const wrong = await run("teams list", { REEVE_TOKEN: "rvt_wrongwrongwrong" });
  assert.deepEqual([wrong.code, /does not accept the token of REEVE_TOKEN/.test(wrong.stderr)], [5, true]);
  const gone = `http://127.0.0.1:${await freePort()}`;
  const { code, stderr } = await run("teams list", { REEVE_SERVER: gone });
  assert.equal(code, 69);
  assert.match(stderr, /^reeve: cannot reach \S+: nothing listens there: is the server running, .*REEVE_SERVER\)\?\n$/);
  const nowhere = await runReeve(["teams", "list"], {}, { XDG_CONFIG_HOME: folder });
  assert.deepEqual([nowhere.code, /you are not signed in/.test(nowhere.stderr)], [5, true]);
  const limit = reply(429, { error: { code: "too_many_requests", message: "Too many" } }, { "retry-after": "90" });
  const busy = await startScripted(limit);
  const limited = await run("teams list", { REEVE_SERVER: busy.url });
  assert.equal(limited.code, 69);
  assert.match(limited.stderr, /can't do this at the moment: Too many \(try again in 90 s\)/);
  const teamless = await run("members list");
  assert.equal(teamless.code, 2);
  assert.match(
    teamless.stderr,
    /^reeve: --team: expected the id or slug of the team \(or REEVE_TEAM, or `.*link --team NAME --server \S+` in this folder\)/,
  );
  const unknown = await run("tems list");
  assert.deepEqual([unknown.code, /Did you mean teams\?/.test(unknown.stderr)], [2, true]);
});

test("a refusal shows each fault, and with --json all that the server said", async () => {
  const file = join(folder, "webhook.json");
  writeFileSync(file, JSON.stringify({ evnts: ["member-added"], name: 1 }));
  const line = `webhooks create https://example.com --team acme --input ${file}`;
  const { code, stderr } = await run(line);
  const faults = ["evnts: unknown key; did you mean events?", "name: unknown key", "events: is required"];
  assert.equal(code, 3, stderr);
  const shown = stderr.slice(stderr.indexOf("evnts"), -1).split(/\s*\n\s*/);
  assert.ok(shown.length === 3 && faults.every((fault, at) => shown[at]?.startsWith(fault)), stderr);
  const { error } = JSON.parse((await run(`${line} --json id`)).stderr);
  const { status, code: kind, field, requestId } = error;
  assert.deepEqual([status, kind, field, typeof requestId], [400, "bad_request", "body.evnts", "string"]);
  const said = error.errors.map((one: Record<string, string>) => `${one["field"]?.slice(5)}: ${one["message"]}`);
  assert.deepEqual(said, shown);
});

test("a command of both worlds works on the database with --local, a setting or --user", async () => {
  const local = { ...flags };
  const remote = await run("tokens list --json name");
  assert.ok(
    JSON.parse(remote.stdout).some(({ name }: { name: string }) => name === "Bootstrap"),
    remote.stdout,
  );
  const listed = await runReeve(["tokens", "list", "--user", "admin", "--json"], local);
  assert.ok(JSON.parse(listed.stdout).length > 0, listed.stderr);
  const old = await runReeve(["token", "create", "--user", "admin", "--name", "old", "--json"], local);
  assert.match(JSON.parse(old.stdout).bearerToken, /^rvt_/);
  const events = await runReeve(["events", "list", "--local", "--limit", "1", "--json"], local);
  assert.equal(JSON.parse(events.stdout).events.length, 1);
  const mine = await run("events list --team acme --limit 1 --json sequence");
  assert.equal(JSON.parse(mine.stdout).length, 1);
  const lacking = await runReeve(["tokens", "list", "--local"], local);
  assert.deepEqual([lacking.code, lacking.stderr], [2, "reeve: --user: expected a value, with --local\n"]);
});

test("a team or a name that is empty, . or .. is refused in one line before a server is asked", async () => {
  const place = ["--project", "shop", "--env", "production"];
  const lines: readonly (readonly [string, ...string[]])[] = [
    ["--team", "secrets", "set", "PASSWORD", "--team", "", "--value-file", "/nowhere"],
    ["--team", "secrets", "list", "--team", ""],
    ["--team", "env", "push", "/nowhere", "--team", "", ...place],
    ["--team", "run", "--team", "", ...place, "--", "true"],
    ["--team", "api", "GET", "/v2/secrets", "--team", ""],
    ["--team", "members", "list", "--team", ".."],
    ["name", "secrets", "reveal", ".."],
    ["team", "teams", "delete", "..", "--yes"],
    ["team", "teams", "delete", ".", "--dry-run"],
    ["project", "environments", "list", ""],
    ["environment", "environments", "view", "shop", "."],
    ["--env", "env", "pull", "--project", "shop", "--env", ".."],
    ["--env", "run", "--project", "shop", "--env", "..", "--", "true"],
    ["--project", "run", "--project", "..", "--env", "production", "--", "true"],
    ["--project", "firewall", "view", "--project", ""],
    ["--version", "firewall", "rules", "list", "--version", ".."],
  ];
  const nowhere = { ...REMOTE, REEVE_SERVER: `http://127.0.0.1:${await freePort()}` };
  for (const [name, ...line] of lines) {
    const { code, stdout, stderr } = await runReeve(line, {}, nowhere);
    assert.deepEqual([code, stdout], [2, ""], `${line.join(" ")}: ${stderr}`);
    const shown = name.startsWith("--") ? name : `<${name}>`;
    assert.match(stderr, new RegExp(`^reeve: ${shown}: expected a name or an id, got "\\.{0,2}"\n$`));
  }
});
