// What the command line and settings read from files and standard input is UTF-8: other bytes are refused with the file and the offset, and a
// byte order mark is taken off, as PowerShell and editors write it.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { readProviders, readSettings } from "../../src/serve/config/config.ts";
import { readKeyFile } from "../../src/platform/keyring/key-file.ts";
import { PLACE, startApplicationWorld } from "./application-world.ts";
import { startProgram } from "./reeve-process.ts";

const world = await startApplicationWorld();
after(world.stop);
const { folder, remote, run } = world;
await world.set("production", { LOG_LEVEL: { value: "info" } });

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const ED25519 = "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=";
/** The text with the byte of `é` in Latin-1 in place of `?`. */
const latin = (text: string): Buffer => Buffer.from(text.replace("?", "é"), "latin1");

function write(name: string, bytes: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, bytes);
  return file;
}

/** Runs a line in a shell, where `reeve` is the program. */
const shell = async (line: string) => await startProgram("/bin/sh", ["-c", line], {}, remote).ended;
const pipe = (args: readonly string[], input: Buffer) => run(args, {}, { input });

/** Each command that reads a text, with the text, in which `?` is the wrong byte. */
const READERS: readonly {
  readonly args: (file: string) => readonly string[];
  readonly text: string;
  readonly from: string;
}[] = [
  { args: (file) => ["teams", "create", "jose", "--input", file], text: '{"name":"Jos?"}', from: "--input: " },
  {
    args: (file) => ["api", "POST", "/v1/teams", "--input", file],
    text: '{"slug":"jos","name":"Jos?"}',
    from: "--input: ",
  },
  {
    args: (file) => ["api", "POST", "/v1/teams", "-f", "slug=jos", "-F", `name=@${file}`],
    text: "Jos?",
    from: "-F name: ",
  },
  {
    args: (file) => ["secrets", "set", "LATIN", "--team", "acme", "--value-file", file],
    text: "Jos?",
    from: "--value-file: ",
  },
  { args: (file) => ["env", "push", file, ...PLACE, "--yes", "--format", "dotenv"], text: "NAME=Jos?", from: "" },
  { args: (file) => ["env", "diff", file, ...PLACE, "--format", "yaml"], text: "NAME: Jos?", from: "" },
  {
    args: (file) => ["firewall", "rules", "add", "--team", "acme", "--project", "shop", "--input", file],
    text: '{"name":"Jos?","active":true}',
    from: "--input: ",
  },
];

test("bytes that are no UTF-8 are refused with the file and their offset, and nothing is stored", async () => {
  for (const { args, text, from } of READERS) {
    const file = write("latin.txt", latin(text));
    const ended = await run(args(file));
    const message = `${from}${file}: expected UTF-8, got a byte at offset ${text.indexOf("?")} that it cannot have there`;
    assert.deepEqual([ended.code, ended.stdout], [2, ""], ended.stderr);
    assert.ok(ended.stderr.startsWith(`reeve: ${message}`), `${ended.stderr} of ${args(file).join(" ")}`);
    assert.ok(!ended.stderr.includes("Jos"));
    const wide = await run(args(write("wide.txt", Buffer.from(`\uFEFF${text}`, "utf16le"))));
    assert.equal(wide.code, 2);
    assert.match(wide.stderr, /wide\.txt: expected UTF-8, got UTF-16 or UTF-32 \(by the byte order mark at offset 0\)/);
  }
  const names = JSON.parse((await run(["secrets", "list", "--team", "acme", "--all", "--json", "name"])).stdout);
  assert.deepEqual(names, []);
  const token = await pipe(["identity", "explain", "--team", "acme"], latin("ey?.x.y"));
  assert.deepEqual(
    [token.code, token.stderr.includes("<token>: standard input: expected UTF-8")],
    [2, true],
    token.stderr,
  );
});

test("a byte order mark is taken off, which is said once", async () => {
  const set = await pipe(
    ["secrets", "set", "MARKED", "--team", "acme", "--decryptable"],
    Buffer.concat([MARK, Buffer.from("s3cret\r\n")]),
  );
  assert.equal(set.code, 0, set.stderr);
  assert.equal(set.stderr, "reeve: --value-file: standard input: took off a byte order mark\n");
  assert.equal((await run(["secrets", "reveal", "MARKED", "--team", "acme"])).stdout, "s3cret");
  const file = write("marked.json", Buffer.concat([MARK, Buffer.from('{"name":"Marked"}')]));
  const made = await run(["teams", "create", "marked", "--input", file, "--json", "name"]);
  assert.deepEqual(JSON.parse(made.stdout), { name: "Marked" });
  assert.equal(made.stderr, `reeve: --input: ${file}: took off a byte order mark\n`);
  const env = write("marked.env", Buffer.concat([MARK, Buffer.from("LOG_LEVEL=info\n")]));
  assert.equal((await run(["env", "diff", env, ...PLACE])).stdout, "Nothing differs.\n");
  const rules = write("marked.yaml", Buffer.concat([MARK, Buffer.from("config: {}\nexpectations: []\n")]));
  assert.match((await run(["firewall", "test", rules])).stderr, /marked\.yaml: took off a byte order mark/);
});

test("bytes are stored as they are with --binary", async () => {
  const bytes = Buffer.from([0xff, 0xfe, 0, 1, 10]);
  const args = ["secrets", "set", "KEY", "--team", "acme", "--decryptable"];
  const refused = await pipe(args, bytes);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /; --binary stores bytes as they are$/m);
  assert.equal((await pipe([...args, "--binary"], bytes)).code, 0);
  const shown = await shell("reeve secrets reveal KEY --team acme | od -An -tx1");
  assert.equal(shown.stdout, " ff fe 00 01 0a\n");
});

test("settings, providers and master keys are read from UTF-8 alone, with or without a mark", async () => {
  const url = "postgres://app:p%C3%A9@db/reeve";
  const marked = write("url", Buffer.concat([MARK, Buffer.from(`${url}\r\n`)]));
  assert.equal(readSettings({}, { REEVE_DATABASE_URL_FILE: marked }).databaseUrl, url);
  const wrong = write("wrong-url", latin("postgres://app:p?@db/reeve"));
  const at = (file: string, offset: number) =>
    `${file}: expected UTF-8, got a byte at offset ${offset} that it cannot have there`;
  const message = `REEVE_DATABASE_URL_FILE: ${at(wrong, 16)}`;
  assert.throws(() => readSettings({}, { REEVE_DATABASE_URL_FILE: wrong }), { message });
  const empty = write("empty", " \n");
  assert.throws(() => readSettings({}, { REEVE_DATABASE_URL_FILE: empty }), {
    message: `REEVE_DATABASE_URL_FILE: expected a file with a value, got an empty one: ${empty}`,
  });
  const settings = { oidcFile: write("oidc.yaml", latin("# Jos?\nproviders: []\n")) };
  await assert.rejects(readProviders(settings as Parameters<typeof readProviders>[0]), {
    message: `REEVE_OIDC_FILE: ${at(settings.oidcFile, 5)}`,
  });
  const key = Buffer.alloc(32, "k1").toString("base64");
  const [first] = readKeyFile(write("keys", `${key}\n`)) ?? [];
  assert.deepEqual(
    readKeyFile(write("marked-keys", Buffer.concat([MARK, Buffer.from(`${key}\n`)])))?.[0]?.id,
    first?.id,
  );
  const keys = write("wrong-keys", Buffer.concat([latin("# Jos?\n"), Buffer.from(key)]));
  assert.throws(() => readKeyFile(keys), {
    message: `cannot read the master keys in ${keys}: ${at(keys, 5).slice(keys.length + 2)}`,
  });
  const token = write("token", latin("rvt_0123456789abcdef?"));
  const started = await run(["teams", "list"], { REEVE_TOKEN: "", REEVE_TOKEN_FILE: token });
  assert.deepEqual([started.code, started.stderr], [78, `reeve: REEVE_TOKEN_FILE: ${at(token, 20)}\n`]);
});

test("arguments, variables and what is typed are UTF-8 too, or refused without a change", async () => {
  const expected = "expected UTF-8, got other bytes, or U+FFFD, which takes their place";
  const named = await shell(`reeve teams create jose --name "$(printf 'Jos\\351')"`);
  assert.deepEqual([named.code, named.stderr], [2, `reeve: argument 5: ${expected}\n`]);
  const child = await shell(`reeve run ${PLACE.join(" ")} -- printf '%s' "$(printf 'Jos\\351')"`);
  assert.deepEqual([child.code, child.stdout], [2, ""], child.stderr);
  const variable = await shell(`REEVE_TEAM="$(printf 'acm\\351')" reeve members list`);
  assert.deepEqual([variable.code, variable.stderr], [78, `reeve: REEVE_TEAM: ${expected}\n`]);
  // `script` gives the command a terminal and types what it is given.
  const typed = await shell(
    `printf 'Jos\\351\\n' | script -qec 'reeve secrets set TYPED --team acme --decryptable' /dev/null`,
  );
  assert.ok(typed.stdout.includes(`reeve: terminal: ${expected}`), typed.stdout);
  const names = JSON.parse((await run(["secrets", "list", "--team", "acme", "--all", "--json", "name"])).stdout);
  assert.ok(!names.some(({ name }: { name: string }) => name === "TYPED"));
});

test("a file with a public key may begin with a byte order mark, and is no UTF-16", async () => {
  const pem = `-----BEGIN PUBLIC KEY-----\r\n${ED25519}\r\n-----END PUBLIC KEY-----\r\n`;
  const verify = (name: string, key: Buffer) =>
    run(["events", "verify", "--export", write("export", "{}\n"), "--public-key", write(name, key)]);
  const plain = await verify("plain.pem", Buffer.from(pem));
  assert.match(plain.stderr, /export, line 1: expected columns and hash of an event/);
  const marked = await verify("marked.pem", Buffer.concat([MARK, Buffer.from(pem)]));
  assert.match(marked.stderr, /export, line 1: expected columns and hash of an event/);
  const wide = await verify("wide.pem", Buffer.from(`\uFEFF${pem}`, "utf16le"));
  assert.match(wide.stderr, /wide\.pem: expected UTF-8, got UTF-16/);
});
