// `--json` and `--jq`, which every command has: what it prints for programs.
import { Option } from "commander";
import { ListOption } from "./list-option.ts";
import type { Select } from "./output.ts";
import { chooseFields, pick } from "./resources/print.ts";
import type { Item } from "./resources/print.ts";

interface Printed {
  /** The names that `--json` takes; absent: they are those of the result. */
  readonly fields?: readonly string[];
  readonly arguments?: readonly unknown[];
}

const ALL = "*";

export function printOptions({ fields, arguments: named = [] }: Printed, words: readonly string[]): readonly Option[] {
  const help = "print the result as JSON, or these fields of it ('*': all), and errors too";
  const json = new ListOption("--json [fields]", help, fields ?? []);
  const next = words[words.indexOf("--json") + 1];
  // Where names are not known, the word behind it may be an argument of the command.
  if (fields === undefined && named.length > 0 && words.includes("--json")) json.optional = /,|^\*$/.test(next ?? "");
  const jq = new Option("--jq <expression>", "print what an expression of jq makes of the JSON; text without quotes");
  return [json, jq];
}

// oxlint-disable-next-line typescript/consistent-type-definitions -- an interface is no Record
export type PrintFlags = {
  readonly json?: string | true;
  readonly jq?: string;
};

/** The value of `--json` for a command that knows its fields; undefined: it prints for people. */
export function fieldsText({ json, jq }: PrintFlags): string | undefined {
  return typeof json === "string" ? json : json === true || jq !== undefined ? ALL : undefined;
}

/** The members of a result, or of each of a list, that have these names. */
function pickNamed(value: unknown, text: string): unknown {
  const items = [value].flat() as readonly Item[];
  if (text === ALL || items.length === 0) return value;
  const fields = chooseFields(text, Object.assign({}, ...items));
  return Array.isArray(value) ? items.map((item) => pick(item, fields)) : pick(value as Item, fields);
}

/** What is printed of a result; null: it is for people. Throws a Failure for an expression that jq can't read. */
export async function readSelect({ fields }: Printed, flags: PrintFlags): Promise<Select | null> {
  const text = fieldsText(flags);
  if (text === undefined) return null;
  // Commands that know their fields choose of them before they do anything.
  const picked = (value: unknown) => (fields === undefined ? pickNamed(value, text) : value);
  if (flags.jq === undefined) return { isRaw: false, textOf: (value) => `${JSON.stringify(picked(value))}\n` };
  const run = await (await import("./jq.ts")).compile(flags.jq);
  return { isRaw: true, textOf: (value) => run(picked(value)) };
}
