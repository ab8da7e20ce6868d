// The command line's table against the contracts: each operation of its subjects has a command, or a reason why it has none.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AnyCommand } from "../../src/cli/command.ts";
import { ALL_ENTRIES } from "../../src/cli/entries.ts";
import { PlaceOption } from "../../src/cli/place-options.ts";
import { makeRunnable } from "../../src/cli/runnable.ts";
import { loadResource } from "../../src/cli/resources/load-resource.ts";
import { positionalsOf } from "../../src/cli/resources/call-input.ts";
import { fieldsOf } from "../../src/cli/resources/fields.ts";
import { endpointOf, shownMembers } from "../../src/cli/resources/operation-command.ts";
import { COVERED_TAGS, LEFT_OUT, RESOURCES, operationsOf } from "../../src/cli/resources/resources.ts";
import { CONTRACTS } from "../../src/contracts.ts";

const rows = RESOURCES.flatMap(({ name, commands }) =>
  Object.entries(commands).map(([verb, row]) => ({ command: `reeve ${name} ${verb}`, row })),
);

test("each operation of the covered subjects has a command, or stands among those left out", () => {
  const covered = new Set<string>(rows.flatMap(({ row }) => operationsOf(row)));
  const declared = CONTRACTS.flatMap((contract) =>
    Object.entries(contract).flatMap(([id, { tag }]) => (COVERED_TAGS.includes(tag) ? [id] : [])),
  );
  assert.deepEqual(
    declared.filter((id) => !covered.has(id) && !Object.hasOwn(LEFT_OUT, id)),
    [],
    "expected a row of each in a table of src/cli/resources/, or a reason in LEFT_OUT of resources.ts there",
  );
  assert.deepEqual(
    Object.keys(LEFT_OUT).filter((id) => covered.has(id) || !declared.includes(id)),
    [],
    "left out without need",
  );
});

test("a printed command carries the data, the server and the place exactly where it takes them", async () => {
  const names = ["data-dir", "server", "team", "project", "env"];
  const flags = Object.fromEntries(names.map((name) => [name, "x"]));
  const check = (command: AnyCommand, before: string): void => {
    const path = `${before}${command.name}`;
    if ("run" in command) {
      const { needs = "database", options = [] } = command;
      const places = options.flatMap((option) => (option instanceof PlaceOption ? [option.place as string] : []));
      const takes = [
        ...(needs === "database" || ["serve", "worker"].includes(path) ? ["data-dir"] : []),
        ...(needs === "server" || needs === "either" ? ["server"] : []),
        ...places,
      ];
      const printed = makeRunnable(`\`reeve ${path}\``, { command: "reeve", flags });
      assert.deepEqual(
        names.filter((name) => printed.includes(` --${name} x`)),
        names.filter((name) => takes.includes(name)),
        path,
      );
    }
    for (const one of command.commands ?? []) check(one, `${path} `);
  };
  for (const { load } of ALL_ENTRIES) check(await load(), "");
});

test("tables show members that the items have", () => {
  for (const { command, row } of rows) {
    if ("load" in row) continue;
    const known = Object.keys(shownMembers(row));
    assert.deepEqual(
      (row.columns ?? []).filter((name) => !known.includes(name)),
      [],
      command,
    );
  }
});

test("what comes by position has no null, which a word cannot say", () => {
  for (const { command, row } of rows) {
    if ("load" in row) continue;
    const endpoint = endpointOf(row.operation);
    const given = positionalsOf(row, endpoint).filter(({ place }) => place === "body");
    const nullable = fieldsOf(endpoint).filter(({ place, isNullable }) => place === "body" && isNullable);
    assert.deepEqual(
      nullable.filter(({ name }) => given.some(({ member }) => member === name)),
      [],
      command,
    );
  }
});

test("examples are of their own command, and what destroys asks before", () => {
  for (const { command, row } of rows) {
    if ("load" in row) continue;
    for (const example of row.examples) assert.ok(example.startsWith(command), example);
    const isDeleting = CONTRACTS.some((contract) => {
      const [, endpoint] = Object.entries(contract).find(([id]) => id === row.operation) ?? [];
      return endpoint?.method === "DELETE";
    });
    if (isDeleting) assert.ok(row.confirm, command);
  }
});

test("help says how times are written, and is not cut off within backticks", async () => {
  const helpOf = async (resource: string, verb: string, flag: string) => {
    const found = RESOURCES.find(({ name }) => name === resource);
    assert.ok(found);
    const command = (await loadResource(found)).commands.find(({ name }) => name === verb);
    assert.ok(command && "run" in command);
    return command.options?.find(({ long }) => long === flag)?.description;
  };
  assert.equal(await helpOf("api-keys", "create", "--expires"), "90m, 12h, 30d from now, a date or a time, or never");
  assert.match(
    (await helpOf("secrets", "update", "--expires")) ?? "",
    /, a date or a time.*: the value is not revealed/,
  );
  const name = "Letters, digits, _, . and -, not beginning with ., - or sec_";
  assert.equal(await helpOf("secrets", "restore", "--name"), name);
});

function namesOf(command: AnyCommand): string[] {
  return [command.name, ...(command.commands ?? []).flatMap(namesOf)];
}

test("the help of reeve says of each command what the command says of itself", async () => {
  for (const { name, summary, load } of ALL_ENTRIES) {
    const command = await load();
    assert.deepEqual([command.name, command.summary], [name, summary]);
    assert.ok(namesOf(command).every((one) => /^[a-z-]+$/.test(one)));
  }
});

test("a group of verbs is one command with commands below it", async () => {
  const firewall = RESOURCES.find(({ name }) => name === "firewall");
  assert.ok(firewall);
  const { commands } = await loadResource(firewall);
  const rules = commands.filter(({ name }) => name === "rules");
  assert.deepEqual(
    rules.map((group) => group.commands?.map(({ name }) => name)),
    [["list", "add", "update", "enable", "disable", "move", "remove"]],
  );
});
