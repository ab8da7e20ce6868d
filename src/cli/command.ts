// Builds commands. Every command has the settings as flags, --json, examples in its help, and an exit code.
import { Command, Option } from "commander";
import { createOutput } from "./output.ts";
import type { Output } from "./output.ts";
import type { Flags, Reeve, SettingOption } from "./reeve.ts";

/** The input of a running command. */
export interface CommandRun<O> {
  readonly reeve: Reeve;
  /** The flags that are settings. */
  readonly flags: Flags;
  /** The command's own flags. */
  readonly options: O;
  readonly args: readonly string[];
  readonly output: Output;
}

export interface CommandSpec<O> {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** Command lines that work when pasted. */
  readonly examples: readonly string[];
  readonly arguments?: readonly { readonly name: string; readonly help: string }[];
  readonly options?: readonly Option[];
  /** Resolves to an exit code; undefined means 0. */
  run(run: CommandRun<O>): Promise<number | void>;
}

function settingFlag({ flag, env, help, fallback }: SettingOption): Option {
  const byDefault = fallback === null ? "" : `, ${fallback} by default`;
  return new Option(`--${flag} <value>`, `${help} (${env}${byDefault})`);
}

function chosenFlags(settings: readonly SettingOption[], options: Record<string, unknown>): Flags {
  const chosen = settings.flatMap(({ name }) => {
    const value = options[name];
    return typeof value === "string" ? [[name, value] as const] : [];
  });
  return Object.fromEntries(chosen);
}

/** Builds a command for commander. `end` receives the exit code. */
export function buildCommand<O>(spec: CommandSpec<O>, reeve: Reeve, end: (code: number) => void): Command {
  const command = new Command(spec.name).summary(spec.summary).description(spec.description ?? spec.summary);
  for (const { name, help } of spec.arguments ?? []) command.argument(name, help);
  for (const option of spec.options ?? []) command.addOption(option);
  command.option("--json", "print the result as JSON, and errors too");
  command.optionsGroup("Settings:");
  for (const setting of reeve.settings) command.addOption(settingFlag(setting));
  command.addHelpText("after", `\nExamples:\n${spec.examples.map((line) => `  ${line}`).join("\n")}`);
  command.action(async () => {
    const options = command.opts<O & { json?: boolean }>();
    const code = await spec.run({
      reeve,
      flags: chosenFlags(reeve.settings, options),
      options,
      args: command.args,
      output: createOutput(options.json === true),
    });
    end(code ?? 0);
  });
  return command;
}
