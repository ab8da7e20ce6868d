// Missing is not the same as empty: a flag or an argument that is given and empty or blank, as of a shell's variable that is not set, is refused
// by name before anything is done, for every one of every command. What an empty text means something for is written down. So is a flag that
// is given twice, of which only one can count.
import assert from "node:assert/strict";
import { registerHooks } from "node:module";
import { test } from "node:test";
import { CommanderError } from "commander";
import type { Option } from "commander";
import { buildCommand } from "../../src/cli/command.ts";
import type { AnyCommand, CommandSpec } from "../../src/cli/command.ts";
import { ALL_ENTRIES } from "../../src/cli/entries.ts";
import { Failure } from "../../src/platform/outcomes/failure.ts";

/** Flags that an empty text clears. */
const CLEARED = {
  "teams update": "--description --avatar --email-domain --preview-deployment-suffix",
  "secrets generate": "--description",
  "secrets update": "--description",
  "secrets rename": "--description",
  "environments create": "--inherits-from",
  "environments update": "--inherits-from",
  "firewall put": "--note",
  "firewall activate": "--note",
  "webhooks update": "--description",
};

/** Flags that may be given again. */
const LISTS = {
  api: "--field --typed-field --header",
  "secrets generate": "--tags",
  "secrets update": "--tags",
  "secrets rename": "--tags",
  "secrets export": "--recipient",
  "env push": "--secret --plain",
  "events verify": "--public-key",
  "firewall rules add": "--condition",
  "firewall traffic metrics": "--outputs --group-by",
  "api-keys create": "--permissions --projects --environments --names --allowed-cidrs",
  "tokens create": "--permissions --projects --environments --names --allowed-cidrs",
  "identity trusts create": "--permissions --projects --environments --names --allowed-cidrs",
  "identity trusts update": "--projects --environments --names --allowed-cidrs --permissions",
  "members list": "--filter-by-user-ids",
  "members invite": "--access-groups",
  "members update": "--team-permissions --access-groups-to-add --access-groups-to-remove",
  "webhooks create": "--events --project-ids",
  "webhooks update": "--events",
  "webhooks replay": "--states --types",
};

class Touched extends Error {}

/** The bodies of commands; what reads their lines is not among them. */
const BODY =
  /\/src\/(?:serve\/(?!config\/)|cli\/bodies\/(?!(?:input|json-error|remote\/(?:place-names|place-failure|remote-failure))\.ts$))/;
const COMMANDS = /\/src\/cli\/(?!bodies\/)/;

/** Runs a command line that may reach no body of a command: that is not refused then. */
async function runWithoutBodies(run: () => Promise<unknown>): Promise<void> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      if (BODY.test(found.url) && COMMANDS.test(context.parentURL ?? "")) throw new Touched(found.url);
      return found;
    },
  });
  try {
    await run();
  } finally {
    hooks.deregister();
  }
}

/** How a command line begins, and how it tells of its end. */
const ENDING = { invocation: { command: "reeve", flags: {} }, end: () => undefined, complain: () => undefined };

/** Why a line is refused; null: it is not. */
async function refusalOf(top: AnyCommand, words: readonly string[], args: readonly string[]): Promise<string | null> {
  const command = buildCommand(top, ENDING);
  try {
    await runWithoutBodies(() => command.parseAsync([...words, ...args], { from: "user" }));
  } catch (error) {
    if (error instanceof Touched) return null;
    if (error instanceof Failure) return error.exit === "usage" ? error.message : null;
    if (error instanceof CommanderError) return error.message;
    throw error;
  }
  return null;
}

interface Found {
  readonly top: AnyCommand;
  readonly spec: CommandSpec<never>;
  readonly words: readonly string[];
}

function commandsBelow(top: AnyCommand, command: AnyCommand = top, words: readonly string[] = []): readonly Found[] {
  const own = "run" in command ? [{ top, spec: command, words }] : [];
  return [...own, ...(command.commands ?? []).flatMap((one) => commandsBelow(top, one, [...words, one.name]))];
}

const commands = (await Promise.all(ALL_ENTRIES.map(async ({ load }) => commandsBelow(await load())))).flat();

/** The options as commander has them, those of servers and settings too. */
function flagsOf({ top, words }: Found): readonly Option[] {
  let command = buildCommand(top, ENDING);
  for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
  return command.options;
}

const flag = ({ long, short }: Option): string => long ?? short ?? "";

/** The flags with a value that are taken on a line, by command. */
async function flagsTaken(
  lineOf: (option: Option, rest: readonly string[]) => readonly string[],
  isTaken: (refusal: string | null, option: Option, name: string) => boolean,
): Promise<Readonly<Record<string, string>>> {
  const taken: Record<string, string> = {};
  let tried = 0;
  for (const found of commands) {
    const { top, spec, words } = found;
    const name = [top.name, ...words].join(" ");
    const positionals = (spec.arguments ?? []).filter((one) => one.name.startsWith("<")).map(() => "x");
    const all = flagsOf(found);
    for (const option of all.filter((one) => one.required || one.optional)) {
      const others = all.filter((one) => one.mandatory && one !== option).flatMap((one) => [flag(one), "x"]);
      const refusal = await refusalOf(top, words, lineOf(option, [...positionals, ...others]));
      tried++;
      if (isTaken(refusal, option, name)) taken[name] = [...(taken[name]?.split(" ") ?? []), flag(option)].join(" ");
    }
  }
  assert.ok(tried > 500, `${tried} flags`);
  return taken;
}

for (const empty of ["", " ", "\t"]) {
  test(`a flag that is given as ${JSON.stringify(empty)} is refused by its name`, async () => {
    const taken = await flagsTaken(
      (option, rest) => [...rest, ...(option.variadic ? [flag(option), empty] : [`${flag(option)}=${empty}`])],
      (refusal, option, name) => {
        assert.ok(refusal?.includes(flag(option)) ?? true, `${name} ${flag(option)}: ${refusal}`);
        return refusal === null;
      },
    );
    assert.deepEqual(taken, CLEARED);
  });
}

test("a flag that is given twice is refused by its name, unless it is a list", async () => {
  const taken = await flagsTaken(
    (option, rest) => {
      const given = `${flag(option)}=${option.argChoices?.[0] ?? "1"}`;
      return [given, ...rest, given];
    },
    (refusal, option) => refusal !== `${flag(option)}: expected once`,
  );
  assert.deepEqual(taken, LISTS);
});

test("an argument that is given and empty or blank is refused by its name", async () => {
  for (const [found, empty] of commands.flatMap((one) => ["", " "].map((text) => [one, text] as const))) {
    const { top, spec, words } = found;
    // What follows -- are the arguments of another program.
    if (spec.followDashes) continue;
    const mandatory = flagsOf(found)
      .filter((one) => one.mandatory)
      .flatMap((one) => [flag(one), "x"]);
    for (const [at, { name }] of (spec.arguments ?? []).entries()) {
      const args = (spec.arguments ?? []).slice(0, at + 1).map((_, index) => (index === at ? empty : "x"));
      const rest = (spec.arguments ?? []).slice(at + 1).map(() => "x");
      const refusal = await refusalOf(top, words, [...args, ...rest, ...mandatory]);
      assert.ok(refusal?.includes(name), `${[top.name, ...words].join(" ")} ${name}: ${refusal}`);
    }
  }
});
