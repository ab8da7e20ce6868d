// Files of values: every value comes back exactly from every form of file, and from those who read it: shells, Node.js and readers of
// YAML 1.1. What is written without quotes is taken as it is written.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseEnv } from "node:util";
import fc from "fast-check";
import { parse } from "yaml";
import { Failure } from "../../platform/outcomes/failure.ts";
import { parseValues, renderValues } from "./formats.ts";
import type { Format, Values } from "./formats.ts";

const PLACE = { team: null, project: "shop", environment: "production", names: null };
const folder = mkdtempSync(join(tmpdir(), "reeve-formats-"));
after(() => rmSync(folder, { recursive: true }));

const ODD = [
  "'",
  '"',
  "`",
  "$",
  "\\",
  "#",
  " ",
  "=",
  "\n",
  "\r",
  "\r\n",
  "\t",
  "n",
  "%",
  "!",
  "{",
  "}",
  "-",
  ":",
  "\u0001",
  "\u007F",
];
const UNUSUAL = ["\u0085", "\u2028", "\u2029", "\uFEFF", "\u00A0", "\u{1F5DD}\uFE0F", "\uFFFF", "\u0300", "é"];
const TAKEN = [
  "yes",
  "no",
  "null",
  "~",
  "true",
  "1e3",
  "0o7",
  "010",
  "1.10",
  ".5",
  "2020-01-01",
  "<<",
  "export A=1",
  "-n",
  "--",
  "|",
  ">-",
];

const char = fc.oneof(fc.constantFrom(...ODD, ...UNUSUAL), fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }));
const value = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: char, maxLength: 30 }).filter((one) => !one.includes("\0")) },
  { weight: 2, arbitrary: fc.constantFrom(...TAKEN) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...ODD, ...UNUSUAL).map((one) => one.repeat(65_536 / Buffer.byteLength(one))),
  },
);
// `V_` keeps it from being a name that shells use themselves.
const name = fc.stringMatching(/^[A-Za-z0-9_]{0,20}$/).map((one) => `V_${one}`);
const values = fc.dictionary(name, value, { noNullPrototype: true, maxKeys: 12 });

async function readBack(format: Format, text: string): Promise<Values> {
  return Object.fromEntries(await parseValues("file", Buffer.from(text), format));
}

test("every form gives every value back exactly", async () => {
  for (const format of ["dotenv", "json", "yaml", "shell", "kubernetes"] as const) {
    await fc.assert(
      fc.asyncProperty(values, async (given) => {
        assert.deepEqual(await readBack(format, await renderValues(format, given, PLACE)), given);
      }),
    );
  }
});

test("names that YAML takes for something else stay names, to readers of YAML 1.1 too", async () => {
  const given = {
    null: "a",
    yes: "b",
    NO: "c",
    y: "d",
    true: "e",
    on: "f",
    NaN: "g",
    e1: "h",
    _: "i",
    constructor: "j",
  };
  const text = await renderValues("yaml", given, PLACE);
  for (const version of ["1.1", "1.2"] as const) assert.deepEqual(parse(text, { version }), given);
  assert.deepEqual(await readBack("yaml", text), given);
  assert.deepEqual(await readBack("yaml", "null: a\nyes: b\n1: c\n"), { null: "a", yes: "b", 1: "c" });
});

test("texts that YAML takes for something else are in quotes, and a manifest has the whole names of its environment", async () => {
  const text = await renderValues("yaml", Object.fromEntries(TAKEN.map((one, at) => [`V_${at}`, one])), PLACE);
  for (const [at, one] of TAKEN.entries()) assert.ok(text.includes(`V_${at}: ${JSON.stringify(one)}\n`), one);
  const project = "p".repeat(100);
  const manifest = await renderValues("kubernetes", {}, { ...PLACE, project });
  assert.match(manifest, new RegExp(`name: "${project}-production"\n`));
});

test("readers of YAML 1.1 find no line end and no character that they refuse", async () => {
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      const text = await renderValues("yaml", given, PLACE);
      assert.doesNotMatch(
        text,
        /[^\n\x20-\x7E\xA0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD\u{10000}-\u{10FFFF}]/u,
      );
    }),
  );
});

test("bash and sh take the shell's form for exactly the values", async () => {
  const file = join(folder, "values.sh");
  await fc.assert(
    fc.asyncProperty(values, async (given) => {
      writeFileSync(file, await renderValues("shell", given, PLACE));
      for (const shell of ["bash", "sh"]) {
        const printed = execFileSync(shell, ["-eu", "-c", `. "${file}"; env -0`], {
          encoding: "utf8",
          maxBuffer: 2 ** 24,
        });
        const found = printed.split("\0").map((line): [string, string] => {
          const at = line.indexOf("=");
          return [line.slice(0, at), line.slice(at + 1)];
        });
        assert.deepEqual(Object.fromEntries(found.filter(([one]) => one.startsWith("V_"))), given, shell);
      }
    }),
    { numRuns: 40 },
  );
});

test("zsh, where it is installed, takes no value for a command", async (t) => {
  const given = { V_1: "=ls", V_2: "a:=ls", V_3: "==", V_4: "a=ls", V_5: "YQ==", V_6: "~:!" };
  const text = await renderValues("shell", given, PLACE);
  assert.ok(text.includes("V_1='=ls'\nexport V_2='a:=ls'\n") && text.includes("V_5=YQ==\n"), text);
  if (spawnSync("zsh", ["-c", ":"]).status !== 0) {
    t.diagnostic("zsh is not installed");
    return;
  }
  const file = join(folder, "values.zsh");
  writeFileSync(file, text);
  const printed = execFileSync("zsh", ["-fc", '. "$0"; env -0', file], { encoding: "utf8" });
  const found = printed.split("\0").flatMap((line) => /^(V_\d)=([^]*)$/.exec(line)?.slice(1) ?? []);
  assert.deepEqual(found, Object.entries(given).flat());
});

test("Node.js takes .env files for exactly the values, but for what docs/applications.md excepts", async () => {
  const isExcepted = (one: string) => one.includes("\r") || (one.includes("'") && /["$\\`]/.test(one));
  const readable = fc.dictionary(
    name,
    value.filter((one) => !isExcepted(one)),
    { noNullPrototype: true },
  );
  await fc.assert(
    fc.asyncProperty(readable, async (given) => {
      assert.deepEqual({ ...parseEnv(await renderValues("dotenv", given, PLACE)) }, given);
    }),
  );
});

test("numbers and booleans are taken as they are written", async () => {
  const expected = { A: "1.10", B: "true", C: "12345678901234567890", D: "1e3", E: "-0" };
  assert.deepEqual(
    await readBack("json", '{"A": 1.10, "B": true, "C": 12345678901234567890, "D": 1e3, "E": -0}'),
    expected,
  );
  const yaml = "A: 1.10\nB: true\nC: 12345678901234567890\nD: 1e3\nE: -0\nF: 0o7\nG: 0x10\nH: yes\nI: 2020-01-01\n";
  assert.deepEqual(await readBack("yaml", yaml), { ...expected, F: "0o7", G: "0x10", H: "yes", I: "2020-01-01" });
});

test("an application may have a value that is called kind, and its value may be Secret", async () => {
  const given = { kind: "Secret", data: "x" };
  for (const format of ["json", "yaml", "kubernetes"] as const) {
    assert.deepEqual(await readBack(format, await renderValues(format, given, PLACE)), given);
  }
});

test("nothing is said of a key that is no text, which the reader of YAML would quote", async () => {
  const script = `import(${JSON.stringify(new URL("yaml-text.ts", import.meta.url).href)}).then((m) => m.parseYaml("A: {{ hidden }}"))`;
  const { stderr } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  assert.doesNotMatch(stderr, /hidden|Error/);
});

test("a byte order mark begins a file, and belongs to a value", async () => {
  assert.deepEqual(await readBack("json", '\uFEFF{"A":"\uFEFFx"}'), { A: "\uFEFFx" });
  assert.deepEqual(await readBack("dotenv", "\uFEFFA=1\n"), { A: "1" });
});

test("what is no text of values is refused without what is in it", async () => {
  const secret = (data: object) => JSON.stringify({ kind: "Secret", ...data });
  const wrong: readonly (readonly [format: Format, bytes: Uint8Array | string, message: string])[] = [
    [
      "dotenv",
      Buffer.from("A=hidden\xE9\n", "latin1"),
      "file: expected UTF-8, got a byte at offset 8 that it cannot have there",
    ],
    ["json", secret({ data: { A: "hidden text!" } }), "file: expected base64 as the value of A"],
    ["json", secret({ data: { A: 12 } }), "file: expected base64 as the value of A"],
    [
      "json",
      secret({ data: { A: "/w==" } }),
      "file, A: expected UTF-8, got a byte at offset 0 that it cannot have there",
    ],
    ["json", secret({ stringData: { A: null } }), "file: expected a text, a number or a boolean as the value of A"],
    ["yaml", "A:\n", "file: expected a text, a number or a boolean as the value of A"],
    ["yaml", "A: 1\nA: hidden\n", "file: expected the key A once"],
    ["yaml", "1.0: 1\n'1.0': hidden\n", "file: expected the key 1.0 once"],
    ["json", '{"A": 1, "b": {"A": 1}, "\\u0041": "hidden"}', "file: expected the key A once"],
    ["json", secret({}).replace("}", ',"data":{"A":"","A":"aGlkZGVu"}}'), "file: expected the key data.A once"],
    ["kubernetes", "kind: Secret\ndata:\n  A: ''\n  A: aGlkZGVu\n", "file: expected the key data.A once"],
    ["kubernetes", "kind: ConfigMap\ndata:\n  A: hidden\n", "file: expected a Secret of Kubernetes (kind: Secret)"],
    ["yaml", "A: 1\n---\nA: hidden\n", "file, line 2: expected YAML (several documents)"],
    ["yaml", "A: 1\n\tB: hidden\n", "file, line 2: expected YAML (tabs are not allowed as indentation)"],
    ["yaml", "A: 1\nB: @hidden\n", "file, line 2: expected YAML (a value that begins like this needs quotes)"],
    ["yaml", "A: hidden: x\n", "file, line 1: expected YAML (nested mappings are not allowed in compact mappings)"],
    ["yaml", 'A: "\\qhidden"\n', "file, line 1: expected YAML (a backslash before a character that it cannot escape)"],
    ["yaml", "A: |hidden\n x\n", "file, line 1: expected YAML (a character where none is expected)"],
    ["yaml", "A: *hidden\n", "file: expected YAML (an alias whose anchor is not before it, or too many aliases)"],
    ["json", '{\n  "A": hidden\n}', "file, line 2: expected JSON (a character where none is expected)"],
    [
      "json",
      '{"at position 3 (line 7 ": 1,\n"A": hidden}',
      "file, line 2: expected JSON (a character where none is expected)",
    ],
    ["json", "hidden", "file, line 1: expected JSON (a character where none is expected)"],
    ["json", "undefined", "file, line 1: expected JSON (a character where none is expected)"],
    ["json", '{"A": "hidden"\n\n"B": ""}', "file, line 3: expected JSON (expected ',' or '}' after property value)"],
    ["json", '{"A": "hid\nden"}', "file, line 1: expected JSON (bad control character in string literal)"],
    ["json", '{"A": "hidden",\n', "file, line 2: expected JSON (expected double-quoted property name)"],
    ["json", '{"A":\n', "file, line 2: expected JSON (unexpected end of JSON input)"],
    ["json", '{"A": 1}\nhidden', "file, line 2: expected JSON (unexpected non-whitespace character after JSON)"],
  ];
  for (const [format, bytes, message] of wrong) {
    await assert.rejects(
      parseValues("file", Buffer.from(bytes), format),
      (error) => error instanceof Failure && error.exit === "usage" && error.message === message,
      message,
    );
  }
  await assert.rejects(parseValues("-", Buffer.from("hidden"), "dotenv"), /^Failure: standard input, line 1: expected/);
});
