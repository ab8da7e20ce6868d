// Builds commands. Every command has what it works on as flags, --json, examples in its help, and an exit code.
import { Option } from "commander";
import type { Command } from "commander";
import { Failure } from "../platform/outcomes/failure.ts";
import { configureHelp } from "./help.ts";
import { createOutput } from "./output.ts";
import type { Output } from "./output.ts";
import { NoneOption } from "./none-option.ts";
import { fieldsText, printOptions, readSelect } from "./print-options.ts";
import type { PrintFlags } from "./print-options.ts";
import { NO_LINK, PlaceOption, linkedPlace, unnamedPlace, withPlace } from "./place-options.ts";
import type { RemoteFlags } from "./bodies/remote/connection.ts";
import { runnableLine } from "./runnable.ts";
import type { Invocation } from "./runnable.ts";
import type { OperationCall } from "./bodies/run-operation.ts";
import type { RemoteClient } from "./bodies/remote/open-client.ts";
import type { Place } from "./bodies/remote/place-names.ts";
import { readRemote, readSettings } from "../serve/config/config.ts";
import type { Flags } from "../serve/config/config.ts";
import { GATE_PROCESS_SETTINGS } from "../serve/config/gate-settings.ts";
import type { Setting } from "../platform/kernel/settings/setting-source.ts";
import { SETTINGS } from "../serve/config/settings.ts";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";
import { AdvisingCommand } from "./wrong-words.ts";
import type { LineAdvice } from "./wrong-words.ts";

/** A setting as the command line shows it. */
interface SettingOption {
  /** Key of the value in `Flags`; the flag's name in camel case. */
  readonly name: string;
  readonly flag: string;
  readonly env: string;
  readonly help: string;
  readonly fallback: string | null;
}

function optionsOf(settings: Readonly<Record<string, Setting<unknown>>>): readonly SettingOption[] {
  return Object.entries(settings).flatMap(([name, { flag, env, help, fallback }]) =>
    flag === null ? [] : [{ name, flag, env, help, fallback }],
  );
}

const SERVER_SETTINGS = optionsOf(SETTINGS);
const GATE_SETTINGS = optionsOf(GATE_PROCESS_SETTINGS);

/** The input of a running command. */
export interface CommandRun<O> {
  /** The flags that are settings. */
  readonly flags: Flags;
  /** The flags that are settings of a gate. */
  readonly gateFlags: Flags;
  /** The flags of commands that work on a server elsewhere. */
  readonly remoteFlags: RemoteFlags;
  /** A client of that server; `team` is the id or slug of the team that its calls are about. */
  open(team?: string): Promise<RemoteClient>;
  /** Calls an endpoint directly on the database and resolves to its response body. */
  callStore(call: OperationCall): Promise<unknown>;
  /** The command's own flags. */
  readonly options: O;
  readonly args: readonly string[];
  readonly output: Output;
}

/**
 * What a command works on, which decides its flags:
 * - `database`: the database itself, by the settings of the server;
 * - `settings`: those settings alone, or the server that they start;
 * - `gate`: the settings of a gate;
 * - `server`: a server anywhere, over HTTP;
 * - `either`: a server anywhere, or with --local the database itself;
 * - `files`: files of the person who runs it.
 */
export type CommandNeeds = "database" | "settings" | "gate" | "server" | "either" | "files";

interface CommandArgument {
  readonly name: string;
  readonly help: string;
  /** It is a segment of the path of a request. */
  readonly isInPath?: boolean;
}

export interface CommandSpec<O> {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** `database` by default. */
  readonly needs?: CommandNeeds;
  /** Of the settings of a gate those that it reads; all by default. */
  readonly settings?: readonly string[];
  /** Command lines that work when pasted. */
  readonly examples: readonly string[];
  readonly arguments?: readonly CommandArgument[];
  readonly options?: readonly Option[];
  /** Said with a wrong command line. */
  readonly hint?: string;
  /** The words that were probably meant by words that lack an argument; null: nobody knows. */
  readonly complete?: LineAdvice["complete"];
  /** It changes something, so on a terminal it says what a file has named. */
  readonly changes?: true;
  /** What is on its line leaves the names that are not there without a value. */
  readonly takesNoPlace?: (options: O, args: readonly string[]) => boolean;
  /** All arguments follow `--`: those of another program, whose flags look like flags of this command. */
  readonly followDashes?: true;
  /** The names of fields that `--json` takes, which the command chooses itself; absent: any member of its result. */
  readonly fields?: readonly string[];
  /** Commands below this one: `reeve gate why` is below `reeve gate`. */
  readonly commands?: readonly AnyCommand[];
  /** Resolves to an exit code; undefined means 0. */
  run(run: CommandRun<O>): Promise<number | void>;
}

/** A name for several commands, such as `reeve user`, that is no command itself. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly AnyCommand[];
}

export type AnyCommand = CommandSpec<never> | CommandGroup;

function settingFlag({ flag, env, help, fallback }: SettingOption): Option {
  const byDefault = fallback === null ? "" : `, ${fallback} by default`;
  return new Option(`--${flag} <value>`, `${help} (${env}${byDefault})`);
}

function chosenFlags(settings: readonly SettingOption[], options: Record<string, unknown>): Flags {
  const chosen = settings.flatMap(({ name }) => {
    const value = options[name];
    // `--no-console` says false.
    if (value === false) return [[name, "off"] as const];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(chosen);
}

const SERVER_OPTIONS: readonly Option[] = [
  new Option("--server <url>", "URL of the server (REEVE_SERVER), instead of that of the context"),
  new Option("--context <name>", "context to use, instead of the current one (see `reeve context list`)"),
];

const DATABASE_NOTE = "It works on the database itself: run it where the server's settings and data are.";

function addFlags<O>(command: Command, { needs = "database", settings: read }: CommandSpec<O>): void {
  if (needs === "files") return;
  if (needs === "server" || needs === "either") {
    command.optionsGroup("Server:");
    for (const option of SERVER_OPTIONS) command.addOption(option);
    if (needs === "server") return;
    command.addOption(new Option("--local", "work on the database of this machine, instead of a server"));
  }
  command.optionsGroup(needs === "either" ? "Settings, each of which means --local:" : "Settings:");
  const offered = needs === "gate" ? GATE_SETTINGS.filter(({ name }) => read?.includes(name) ?? true) : SERVER_SETTINGS;
  for (const setting of offered) command.addOption(settingFlag(setting));
  if (needs === "database") command.addHelpText("after", `\n${DATABASE_NOTE}`);
}

/** Options that name something, which a path or a query has. */
const NAMING = ["team", "project", "env", "version"];

/** Throws a Failure that names what is given as a name and can be none: a variable of a shell that is not set, or what no path has. */
function requireNames<O extends object>(spec: CommandSpec<O>, options: O, args: readonly string[]): void {
  const given = [
    ...(spec.arguments ?? []).flatMap(({ name, isInPath }, at) => (isInPath ? [[name, args[at]] as const] : [])),
    ...Object.entries(options).flatMap(([name, value]) => (NAMING.includes(name) ? [[`--${name}`, value]] : [])),
  ];
  for (const [name, value] of given) {
    if (typeof value !== "string" || !["", ".", ".."].includes(value.trim())) continue;
    throw new Failure("usage", `${name}: expected a name or an id, got ${JSON.stringify(value)}`);
  }
}

/** Throws a Failure that names what is given and empty or blank: the command would do what it does without it. */
function requireValues<O>({ arguments: names = [], followDashes }: CommandSpec<O>, command: Command): void {
  const flags = command.options.flatMap((option) =>
    option instanceof NoneOption || option.negate
      ? []
      : [[option.long ?? option.flags, command.getOptionValue(option.attributeName())]],
  );
  const positionals = followDashes ? [] : command.args.map((arg, at) => [(names[at] ?? names.at(-1))?.name, arg]);
  const isEmpty = (value: unknown) => typeof value === "string" && value.trim() === "";
  const empty = [...positionals, ...flags].find(([, value]) => [value].flat().some(isEmpty));
  if (empty) throw new Failure("usage", `${String(empty[0])}: expected a value, got an empty one`);
}

/** The flags that turn out to be given twice and are no list: the last one would count alone. */
function recordRepeated(command: Command): ReadonlySet<string> {
  const twice = new Set<string>();
  for (const option of command.options.filter(({ required, optional }) => required || optional)) {
    let times = 0;
    command.on(`option:${option.name()}`, () => {
      const isList = Array.isArray(command.getOptionValue(option.attributeName()));
      if (++times > 1 && !isList) twice.add(option.long ?? option.flags);
    });
  }
  return twice;
}

/** How a command line began, and what is called while it is read and runs. */
export interface CommandHooks {
  readonly invocation: Invocation;
  readonly end: (code: number) => void;
  /** Receives what a line names, by its arguments and options. */
  readonly begin?: (named: Readonly<Record<string, unknown>>) => void;
  /** Receives why the line can't be understood. */
  readonly complain: (text: string) => void;
  /** The line as it was typed, up to `--`. */
  readonly words?: readonly string[];
  /** How many words follow `--`. */
  readonly behind?: number;
}

/** Whether a command line means the database of this machine: it says so, or has a flag that only means something there. */
export function isLocal(options: { readonly local?: unknown; readonly user?: unknown }, flags: Flags): boolean {
  return options.local === true || options.user !== undefined || Object.keys(flags).length > 0;
}

/** A client of the server that the flags, variables and contexts name. */
export async function openServer(flags: RemoteFlags, team?: string): Promise<RemoteClient> {
  const settings = readRemote(flags);
  return await (await import("./bodies/remote/open-client.ts")).openClient(settings, flags, team);
}

/** What commands of this folder are about where no flag says it; without the file of `reeve link`, by variables alone. */
export async function readPlace(readsLink: boolean): Promise<Place> {
  const { findPlace } = await import("./bodies/remote/place.ts");
  return await findPlace(readRemote({}), readsLink ? currentProcess().cwd() : null);
}

function buildOne<O extends object>(spec: CommandSpec<O>, hooks: CommandHooks): Command {
  const { hint, complete } = spec;
  const command = new AdvisingCommand(spec.name, { words: hooks.words, hint, complete });
  command.summary(spec.summary).description(spec.description ?? spec.summary);
  for (const { name, help } of spec.arguments ?? []) command.argument(name, help);
  for (const option of spec.options ?? []) command.addOption(option);
  if (spec.options?.some((option) => option instanceof PlaceOption)) command.addOption(NO_LINK);
  for (const option of printOptions(spec, hooks.words ?? [])) command.addOption(option);
  addFlags(command, spec);
  const twice = recordRepeated(command);
  command.addHelpText(
    "after",
    `\nExamples:\n${spec.examples.map((line) => `  ${runnableLine(line, hooks.invocation.command)}`).join("\n")}`,
  );
  command.action(async () => {
    const typed = command.opts<O & PrintFlags & { server?: string; context?: string; local?: true; link?: false }>();
    requireNames(spec, typed, command.args);
    requireValues(spec, command);
    const [first = ""] = command.args;
    if (spec.followDashes && command.args.length > (hooks.behind ?? 0)) {
      throw new Failure("usage", `${spec.hint}: expected -- before it, got ${JSON.stringify(first)}`);
    }
    for (const name of twice) throw new Failure("usage", `${name}: expected once`);
    const flags = chosenFlags(SERVER_SETTINGS, typed);
    const isRemote = spec.needs === "server" || (spec.needs === "either" && !isLocal(typed, flags));
    const place = async () =>
      spec.takesNoPlace?.(typed, command.args) === true ? {} : await readPlace(typed.link !== false);
    const select = await readSelect(spec, typed);
    const output = createOutput(select, hooks.invocation);
    const placed = isRemote ? await withPlace(typed, command, hooks.words ?? [], place) : typed;
    const json = fieldsText(typed);
    const options = json === undefined ? placed : { ...placed, json: spec.fields === undefined ? true : json };
    const linked = spec.changes && currentProcess().stderr.isTTY ? linkedPlace(options) : null;
    if (linked !== null) output.note(linked);
    const remoteFlags = { server: options.server, context: options.context };
    const named = command.registeredArguments.map((one, at) => [one.name(), command.args[at]] as const);
    hooks.begin?.({ ...options, ...Object.fromEntries(named) });
    const code = await spec.run({
      flags,
      gateFlags: chosenFlags(GATE_SETTINGS, options),
      remoteFlags,
      open: (team) => openServer(remoteFlags, team),
      callStore: async (call) =>
        (await import("./bodies/run-operation.ts")).callOperation(readSettings(flags), call, Date.now),
      options,
      args: command.args,
      output,
    });
    const isChanged = isRemote && spec.changes && !("dryRun" in options) && select === null && (code ?? 0) === 0;
    const unnamed = isChanged ? unnamedPlace(command, options) : null;
    if (unnamed !== null) output.note(unnamed);
    hooks.end(code ?? 0);
  });
  return command;
}

/** Builds a command for commander, with the commands below it. `above` are the words before its name. */
export function buildCommand(spec: AnyCommand, hooks: CommandHooks, above = hooks.invocation.command): Command {
  const words = `${above} ${spec.name}`;
  const command =
    "run" in spec
      ? buildOne(spec, hooks)
      : new AdvisingCommand(spec.name, { words: hooks.words }).description(spec.summary);
  // A flag after the name of a command is that command's, also where both have one of that name.
  command.enablePositionalOptions();
  for (const below of spec.commands ?? []) command.addCommand(buildCommand(below, hooks, words));
  // Added commands do not inherit exitOverride; without it each would end the process itself.
  command.exitOverride().showHelpAfterError(`(see ${words} --help)`);
  return configureHelp(command, hooks.invocation.command, hooks.complain);
}
