import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readPassphrase } from "../../src/cli/passphrase.ts";
import { createStorage } from "../harness/test-app.ts";
import { identity, openArchive, recipient, withoutId } from "../archives/files.ts";
import { runReeve, serveReeve } from "./in-process.ts";

const storage = await createStorage();
const folder = mkdtempSync(join(tmpdir(), "reeve-cli-"));
after(async () => {
  rmSync(folder, { recursive: true });
  await storage.remove();
});
const settings = storage.flags;

const server = await serveReeve(settings);

/** Sends a request of the administrator, which is to succeed. */
async function request(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 200);
  return (await response.json()) as Record<string, unknown>;
}

test("a wrong name, version or length of a secret is refused by what gave it", async () => {
  const remote = { REEVE_SERVER: server.url, REEVE_TOKEN: server.adminToken as string, XDG_CONFIG_HOME: folder };
  const file = join(folder, "value.txt");
  writeFileSync(file, "planted");
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await runReeve(["secrets", ...args], {}, remote);
    assert.equal(stdout, "");
    return [code, stderr.replace(server.url, "SERVER")] as const;
  };
  const set = ["--value-file", file];
  const [code, misnamed] = await refused("set", "bad name", ...set);
  assert.equal(code, 3);
  assert.match(misnamed, /^reeve: SERVER refuses: <name>: expected .*, got "bad name"\n$/);
  assert.deepEqual(await refused("set", "NAME", ...set, "--expected-version", "x"), [
    2,
    'reeve: --expected-version: expected a number, got "x"\n',
  ]);
  assert.deepEqual(await refused("generate", "SHORT", "--length", "2"), [
    3,
    "reeve: SERVER refuses: --length: expected a number >= 16\n",
  ]);
});

test("secrets move from a team to another one and to an account, beside a running server", async () => {
  for (const slug of ["from", "to"]) await request("POST", "/v1/teams", { slug });
  await request("POST", "/v2/secrets?slug=from", { name: "first", value: "planted one" });
  await request("POST", "/v2/secrets?slug=from", { name: "second", value: "planted two", decryptable: true });
  await request("PATCH", "/v2/secrets/second?slug=from", { name: "renamed", keepAlias: true });

  const file = join(folder, "from.age");
  const identityFile = join(folder, "key.txt");
  writeFileSync(identityFile, `# created by a test\n${identity}\n`);
  const other = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
  const recipients = ["--recipient", other, "--recipient", recipient];
  const exported = await runReeve(["secrets", "export", "--team", "from", "--to", file, ...recipients], settings);
  assert.deepEqual(exported, { code: 0, stdout: `Exported 2 secrets to ${file}\n`, stderr: "" });
  const [, ...lines] = await openArchive(file);
  const before = readFileSync(file);

  const source = ["--from", file, "--identity-file", identityFile];
  const imported = await runReeve(["secrets", "import", "--team", "to", ...source, "--json"], settings);
  assert.equal(imported.code, 0, imported.stderr);
  assert.deepEqual(JSON.parse(imported.stdout), { imported: 2, skipped: [] });
  const shown = await request("GET", "/v3/secrets/second?slug=to&decrypt=true");
  assert.equal(shown["value"], "planted two");
  assert.equal(shown["name"], "renamed");

  const again = join(folder, "to.age");
  const back = await runReeve(["secrets", "export", "--team", "to", "--to", again, ...recipients, "--json"], settings);
  assert.deepEqual(JSON.parse(back.stdout), { exported: 2, file: again });
  assert.deepEqual((await openArchive(again)).slice(1).map(withoutId), lines.map(withoutId));

  const taken = await runReeve(["secrets", "import", "--team", "to", ...source, "--json"], settings);
  assert.equal(taken.code, 7);
  assert.equal(JSON.parse(taken.stderr).error.code, "secret_name_taken");
  const skipped = await runReeve(["secrets", "import", "--team", "to", ...source, "--on-conflict", "skip"], settings);
  assert.equal(skipped.stdout, "Imported 0 secrets. Left out 2 secrets with names that are taken:\nfirst\nrenamed\n");
  const own = await runReeve(["secrets", "import", "--user", "admin", ...source], settings);
  assert.deepEqual(own, { code: 0, stdout: "Imported 2 secrets.\n", stderr: "" });

  const existing = await runReeve(["secrets", "export", "--team", "to", "--to", file, ...recipients], settings);
  assert.deepEqual(existing, { code: 7, stdout: "", stderr: `reeve: ${file} exists already; --force replaces it\n` });
  assert.deepEqual(readFileSync(file), before);
  const printed = JSON.stringify([exported, imported, back, taken, skipped, own]);
  assert.doesNotMatch(printed, /planted|cGxhbnRl|AGE-SECRET-KEY/);
});

// Deriving a key from a passphrase takes a second by design.
test("a passphrase opens the file, with and without Reeve, and a wrong one does not", async () => {
  for (const slug of ["locked", "opened", "guessable"]) await request("POST", "/v1/teams", { slug });
  await request("POST", "/v2/secrets?slug=locked", { name: "planted_name", value: "planted", decryptable: true });
  const file = join(folder, "locked.age");
  const [right, wrong] = [join(folder, "right"), join(folder, "wrong")];
  const passphrase = "correct horse battery staple";
  writeFileSync(right, `${passphrase}\n`);
  writeFileSync(wrong, "incorrect horse\n");
  const run = (command: string, ...args: string[]) => runReeve(["secrets", command, ...args], settings);

  const exported = await run("export", "--team", "locked", "--to", file, "--passphrase-file", right);
  assert.deepEqual(exported, { code: 0, stdout: `Exported 1 secret to ${file}\n`, stderr: "" });
  assert.doesNotMatch(readFileSync(file, "latin1"), /planted|cGxhbnRl|reeve-secrets/);
  const refused = await run("import", "--team", "opened", "--from", file, "--passphrase-file", wrong, "--json");
  const { error } = JSON.parse(refused.stderr) as {
    readonly error: { readonly code: string; readonly message: string };
  };
  assert.deepEqual([refused.code, refused.stdout, error.code], [3, "", "archive_locked"]);
  assert.match(error.message, /^the passphrase does not open /);
  const imported = await run("import", "--team", "opened", "--from", file, "--passphrase-file", right);
  assert.deepEqual(imported, { code: 0, stdout: "Imported 1 secret.\n", stderr: "" });
  assert.equal((await request("GET", "/v3/secrets/planted_name?slug=opened&decrypt=true"))["value"], "planted");
  const [, secret] = await openArchive(file, { passphrase });
  assert.equal(Buffer.from(secret.versions[0].value, "base64").toString(), "planted");
  await server.stop();
});

test("a passphrase that is easy to guess makes no file, in the words for passwords", async () => {
  const [file, passphraseFile] = [join(folder, "weak.age"), join(folder, "weak")];
  const advice = "Four words that have nothing to do with each other are hard to guess and easy to remember.";
  for (const [passphrase, problem] of [
    ["secret", `expected at least 8 characters. ${advice}`],
    ["password1234", `too easy to guess: it is built on a common word or password. ${advice}`],
    ["guessable-2026", `too easy to guess: it is built on your name or address. ${advice}`],
    ["many ".repeat(60), "expected at most 256 characters"],
  ] as const) {
    writeFileSync(passphraseFile, passphrase);
    const args = ["secrets", "export", "--team", "guessable", "--to", file, "--passphrase-file", passphraseFile];
    const { code, stdout, stderr } = await runReeve(args, settings);
    assert.deepEqual({ code, stdout, stderr }, { code: 3, stdout: "", stderr: `reeve: passphrase: ${problem}\n` });
    assert.ok(!existsSync(file));
  }
});

test("missing and contradicting arguments are usage errors", async () => {
  const to = ["--to", join(folder, "never.age")];
  const from = ["--from", join(folder, "from.age")];
  for (const [args, message] of [
    [["export", ...to, "--recipient", recipient], /--team or --user: expected one of them/],
    [["export", "--team", "a", "--user", "b", ...to], /'--team <team>' cannot be used with option '--user <username>'/],
    [["export", "--team", "a", ...to], /--passphrase-file or --recipient: expected one of them, or a terminal/],
    [["export", "--team", "a", ...to, "--recipient", recipient, "--passphrase-file", "x"], /cannot be used with/],
    [["import", "--team", "a", ...from], /--passphrase-file or --identity-file: expected one of them, or a terminal/],
    [["import", "--team", "a", ...from, "--on-conflict", "replace"], /Allowed choices are fail, skip/],
  ] as const) {
    const { code, stderr } = await runReeve(["secrets", ...args], settings);
    assert.equal(code, 2, stderr);
    assert.match(stderr, message);
  }
});

test("a passphrase is the first line of its file, which may not be empty", async () => {
  const passphraseFile = join(folder, "passphrase");
  writeFileSync(passphraseFile, "\nsecond line\n");
  const args = ["secrets", "import", "--team", "a", "--from", join(folder, "from.age"), "--passphrase-file"];
  const empty = await runReeve([...args, passphraseFile], settings);
  assert.deepEqual([empty.code, empty.stderr], [3, "reeve: --passphrase-file: its first line is empty\n"]);
  // A byte order mark, with which some editors begin a file.
  writeFileSync(passphraseFile, "\uFEFFcorrect horse\r\n");
  assert.equal(await readPassphrase(passphraseFile), "correct horse");
  const absent = await runReeve([...args, join(folder, "absent")], settings);
  assert.equal(absent.code, 2);
  assert.match(absent.stderr, /^reeve: --passphrase-file: cannot read \S+: there is no such file or folder\n$/);
});
