// Help on terminals of several widths: what is between backquotes is on one line, so that it can be copied.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command } from "commander";
import { buildCommand } from "../../src/cli/command.ts";
import { ALL_ENTRIES } from "../../src/cli/entries.ts";

/** How a command line begins that is written with this in place of `reeve`. */
const endingOf = (command: string) => ({
  invocation: { command, flags: {} },
  end: () => undefined,
  complain: () => undefined,
});

/** The help of a command and of those below it. */
function* helpsOf(command: Command, width: number): Generator<string> {
  yield command.configureOutput({ getOutHelpWidth: () => width }).helpInformation();
  for (const below of command.commands) yield* helpsOf(below, width);
}

test("help names each command in full, in words that a shell takes as they are", async () => {
  // `link` is a value of a field too.
  const commands = ALL_ENTRIES.flatMap(({ name }) => (name === "link" ? [] : [name])).join("|");
  const isOdd = (span: string) => new RegExp(`^\`(?:${commands})\\b`).test(span) || /^`reeve [^`]*[<>]/.test(span);
  for (const { load } of ALL_ENTRIES) {
    for (const help of helpsOf(buildCommand(await load(), endingOf("reeve")), 100)) {
      assert.deepEqual(
        [...help.matchAll(/`[^`]*`/g)].map(([span]) => span).filter(isOdd),
        [],
        help.slice(0, help.indexOf("\n")),
      );
    }
  }
});

for (const width of [60, 80, 100, 140]) {
  test(`at ${width} columns no line of any help ends between backquotes`, async () => {
    const broken: string[] = [];
    for (const ownCommand of ["reeve", "npm run reeve --"]) {
      for (const { load } of ALL_ENTRIES) {
        const helps = helpsOf(buildCommand(await load(), endingOf(ownCommand)), width);
        const lines = [...helps].flatMap((help) => help.split("\n"));
        broken.push(...lines.filter((line) => line.split("`").length % 2 === 0));
      }
    }
    assert.deepEqual(broken, []);
  });
}
