// The `reeve` command line: the list of commands, and how their errors become exit codes.
import { Command, CommanderError } from "commander";
import { buildCommand } from "./command.ts";
import type { CommandHooks } from "./command.ts";
import { ENTRIES, findEntry } from "./entries.ts";
import type { Entry } from "./entries.ts";
import { EXIT_CODES, Failure, exitCode } from "../platform/outcomes/failure.ts";
import { formatTable, printComplaint, printFailure } from "./output.ts";
import { findReplacement } from "../platform/kernel/text/decode-text.ts";
import { configureHelp } from "./help.ts";
import { findGiven } from "./runnable.ts";
import { readGiven, readOwnCommand } from "../serve/config/config.ts";
import { VERSION } from "../platform/kernel/version.ts";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";
import { AdvisingCommand } from "./wrong-words.ts";

function exitCodeTable(): string {
  return formatTable(
    ["exit code", "meaning"],
    Object.values(EXIT_CODES).map(({ code, meaning }) => [String(code), meaning]),
  );
}

/** A command of which only the help's line is known: it is not the one that runs. */
function outlineOf({ name, summary }: Entry): Command {
  return new Command(name).description(summary);
}

/** Builds the one command that the line names; building all of them would be most of the time to start. */
async function createProgram(named: Entry | undefined, hooks: CommandHooks): Promise<Command> {
  const { command: own } = hooks.invocation;
  const program = new AdvisingCommand(own, { words: hooks.words })
    .description("A self-hosted control plane for teams, access, secrets and events.")
    .version(VERSION)
    // Lets a command have a flag of that name too.
    .enablePositionalOptions()
    .addHelpText("after", () => `\n${exitCodeTable()}\n`);
  program.exitOverride().showHelpAfterError(`(see ${own} --help)`);
  configureHelp(program, own, hooks.complain);
  for (const [heading, entries] of Object.entries(ENTRIES)) {
    program.commandsGroup(heading);
    for (const entry of entries) {
      const command = entry === named ? buildCommand(await entry.load(), hooks) : outlineOf(entry);
      program.addCommand(command.aliases(entry.aliases ?? []));
    }
  }
  return program;
}

function textOf({ code, message }: CommanderError): string {
  return code === "commander.help" ? "expected a command" : message.replace(/^error: /, "").replaceAll("\n", " ");
}

function requireText(args: readonly string[]): void {
  for (const [at, arg] of args.entries()) {
    const problem = findReplacement(arg);
    if (problem !== null) throw new Failure("usage", `argument ${at + 1}: ${problem}`, "bad_encoding");
  }
}

/** Runs the command line of the current process and resolves to the exit code; never throws. */
export async function runCommandLine(): Promise<number> {
  const args = currentProcess().argv.slice(2);
  if (args[0] === "__complete") return await (await import("./complete.ts")).complete(args.slice(1));
  let code = 0;
  let line: Readonly<Record<string, unknown>> = {};
  // What stands behind `--` is for another program.
  const own = args.includes("--") ? args.slice(0, args.indexOf("--")) : args;
  const invocation = { command: readOwnCommand(), ...findGiven(own, readGiven()) };
  const isJson = own.some((word) => word === "--json" || word.startsWith("--json="));
  try {
    requireText(args);
    // Of a verb in front of its group, the group, which says what was meant.
    const [first = "", second = ""] = args.filter((word) => !word.startsWith("-") && word !== "help");
    const named = findEntry(first) ?? findEntry(second) ?? findEntry(`${second}s`);
    const program = await createProgram(named, {
      end: (ended) => {
        code = ended;
      },
      begin(names) {
        line = names;
      },
      words: own,
      behind: Math.max(0, args.length - own.length - 1),
      complain: isJson ? () => undefined : printComplaint,
      invocation,
    });
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has printed its help, or as text why the line can't be understood.
      if (error.exitCode === 0) return 0;
      if (isJson) printFailure(new Failure("usage", textOf(error)), true, invocation);
      return exitCode("usage");
    }
    const failure = error instanceof Failure ? error : (await import("../serve/explain-failure.ts")).explain(error);
    const said =
      failure instanceof Failure ? (await import("./resources/call-commands.ts")).nameCommands(failure, line) : failure;
    printFailure(said, isJson, invocation);
    return exitCode(failure instanceof Failure ? failure.exit : "failed");
  }
}
