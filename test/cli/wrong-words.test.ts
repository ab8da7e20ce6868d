// A line that can't be understood is answered with what was probably meant, before a server is asked.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyCommand } from "../../src/cli/command.ts";
import { ALL_ENTRIES } from "../../src/cli/entries.ts";
import { READING, WRITING } from "../../src/cli/wrong-words.ts";
import { runReeve } from "./in-process.ts";

const run = async (line: string) => await runReeve(line.split(" "), {}, { REEVE_SERVER: "http://127.0.0.1:1" });

async function expectAdvice(lines: Readonly<Record<string, readonly [said: string, advice: string]>>): Promise<void> {
  for (const [line, [said, advice]] of Object.entries(lines)) {
    const { code, stdout, stderr } = await run(line);
    assert.deepEqual([code, stdout, stderr.split("\n").slice(0, 2)], [2, "", [`error: ${said}`, `(${advice})`]], line);
  }
}

test("a verb of other programs is answered with the verbs that the group has for it", async () => {
  await expectAdvice({
    "secrets get X": ["unknown command 'get'", "Did you mean reveal or view?"],
    "secrets gets X": ["unknown command 'gets'", "Did you mean reveal or view?"],
    "secrets cat X": ["unknown command 'cat'", "Did you mean reveal or view?"],
    "secrets add X": ["unknown command 'add'", "Did you mean set or generate?"],
    "secrets edit X": ["unknown command 'edit'", "Did you mean set or update?"],
    "secrets rm X": ["unknown command 'rm'", "Did you mean delete?"],
    "secrets ls": ["unknown command 'ls'", "Did you mean list?"],
    "secrets lst": ["unknown command 'lst'", "Did you mean list?"],
    "webhooks new": ["unknown command 'new'", "Did you mean create?"],
    "tokens delete x": ["unknown command 'delete'", "Did you mean revoke?"],
    "members add x": ["unknown command 'add'", "Did you mean invite?"],
    "firewall rules get x": ["unknown command 'get'", "Did you mean list?"],
    "env get": ["unknown command 'get'", "Did you mean pull?"],
    "secret list": ["unknown command 'secret'", "Did you mean secrets?"],
    "help secret": ["unknown command 'secret'", "Did you mean secrets?"],
    "get secrets": ["unknown command 'get'", "Did you mean secrets reveal or secrets view?"],
    "list webhook": ["unknown command 'list'", "Did you mean webhooks list?"],
    "delete team acme": ["unknown command 'delete'", "Did you mean teams delete?"],
    "secrets help lst": ["unknown command 'lst'", "Did you mean list?"],
  });
});

test("no word for reading is answered with a verb that changes something", async () => {
  const changing = new Set(Object.values(WRITING).flat());
  assert.deepEqual(
    Object.values(READING)
      .flat()
      .filter((verb) => changing.has(verb)),
    [],
  );
  const groupsOf = (command: AnyCommand, path: string): readonly string[] =>
    (command.commands ?? []).length === 0
      ? []
      : [
          "run" in command ? [] : [path],
          ...(command.commands ?? []).map((one) => groupsOf(one, `${path} ${one.name}`)),
        ].flat();
  const loaded = await Promise.all(ALL_ENTRIES.map(async ({ load }) => await load()));
  const groups = loaded.flatMap((command) => groupsOf(command, command.name));
  assert.ok(groups.length > 15, groups.join());
  for (const word of ["get", "show", "geet", "ls", "log"]) {
    for (const group of groups) {
      const proposed = /Did you mean (.*)\?/.exec((await run(`${group} ${word}`)).stderr)?.[1]?.split(" or ") ?? [];
      assert.deepEqual(
        proposed.filter((verb) => changing.has(verb)),
        [],
        `${group} ${word}`,
      );
    }
  }
});

test("an option before its command is put behind it", async () => {
  await expectAdvice({
    "--team acme secrets list": [
      "unknown option '--team'",
      "Put it behind the command: `reeve secrets list --team acme`",
    ],
    "secrets --team acme list": [
      "unknown option '--team'",
      "Put it behind the command: `reeve secrets list --team acme`",
    ],
    "--project env secrets list": [
      "unknown option '--project'",
      "Put it behind the command: `reeve secrets list --project env`",
    ],
  });
});

test("an option of another name, or what is an argument or a command here, is answered with that", async () => {
  await expectAdvice({
    "firewall attack-mode on --until 2h": [
      "unknown option '--until'",
      "Did you mean --attack-mode-active-until <when>?",
    ],
    "secrets list --output json": ["unknown option '--output'", "Did you mean --json [fields]?"],
    "api -X POST /v1/teams": ["unknown option '-X'", "It is an argument: `reeve api <method> <path>`"],
    "firewall rules add --name x --condition path pre /admin --action deny": [
      "too many arguments: expected `reeve firewall rules add`",
      "Did you mean --condition 'path pre /admin'?",
    ],
    "api POST /v2/teams -d x": ["unknown option '-d'", "Did you mean --field <name=value> or --input <file>?"],
    "events verify --team acme": [
      "unknown option '--team'",
      "The command works on the whole database of this machine: run it there, without --team",
    ],
    "secrets reveal X --version 2": [
      "unknown option '--version'",
      "There is `reeve secrets versions list|view|restore`",
    ],
    "environments create staging --project shop": [
      "unknown option '--project'",
      "It is an argument: `reeve environments create <project> <name>`",
    ],
    "firewall view --version 3": [
      "unknown option '--version'",
      "It is an argument: `reeve firewall view [config-version]`",
    ],
    "secrets list --tema acme": ["unknown option '--tema'", "Did you mean --team?"],
  });
});

test("an argument that is too much is answered with the option that takes such a thing", async () => {
  await expectAdvice({
    "firewall put fw.json": ["too many arguments: expected `reeve firewall put`", "Did you mean --input fw.json?"],
    "firewall attack-mode on shop": [
      "too many arguments: expected `reeve firewall attack-mode on`",
      "Did you mean --project shop or --team shop?",
    ],
    "firewall attack-mode on shop -t acme": [
      "too many arguments: expected `reeve firewall attack-mode on`",
      "Did you mean --project shop?",
    ],
    "firewall bypasses add 192.0.2.1": [
      "too many arguments: expected `reeve firewall bypasses add`",
      "Did you mean --source-ip 192.0.2.1?",
    ],
    "tokens create ci": ["too many arguments: expected `reeve tokens create`", "Did you mean --name ci?"],
  });
});

test("a path without a method is answered with the request", async () => {
  await expectAdvice({
    "api /v2/teams": ["missing required argument 'path'", "Did you mean `reeve api GET /v2/teams`?"],
    "api /v2/teams -f slug=a": [
      "missing required argument 'path'",
      "Did you mean `reeve api POST /v2/teams -f slug=a`?",
    ],
  });
});

test("a value on the line is refused with where it is read from, and is not printed", async () => {
  for (const line of ["FOO hunter2", "FOO --value hunter2", "FOO --value=hunter2"]) {
    const { code, stderr } = await run(`secrets set ${line}`);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /^\(the value is read from the standard input or --value-file, never from an argument, .*\)$/m,
    );
    const asJson: unknown = JSON.parse((await run(`secrets set ${line} --json`)).stderr);
    assert.match(JSON.stringify(asJson), /never from an argument/);
    assert.doesNotMatch(stderr + JSON.stringify(asJson), /hunter2/);
  }
});
