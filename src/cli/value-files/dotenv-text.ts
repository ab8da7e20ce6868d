// Writes `.env` files in the form that most of their readers share, and says of which values one of them makes another. A value that a
// shell would run is never written so that it does: many people source these files.
import { parseEnv } from "node:util";
import { quoteDouble, quoteForShell, renderEnvText } from "../../platform/kernel/text/env-text.ts";

type Values = Readonly<Record<string, string>>;

/** Readers drop carriage returns or make them line feeds; most of them know `\r` within double quotes. */
const quote = (value: string): string =>
  value.includes("\r") ? quoteDouble(value).replaceAll("\r", String.raw`\r`) : quoteForShell(value);

const endsInBackslash = (value: string): boolean => value.endsWith("\\");

/** dotenv may read on behind a backslash at the end of a value: those come last, where they harm no other. */
function inOrder(values: Values): readonly (readonly [string, string])[] {
  const entries = Object.entries(values);
  return [
    ...entries.filter(([, value]) => !endsInBackslash(value)),
    ...entries.filter(([, value]) => endsInBackslash(value)),
  ];
}

export function renderDotenv(values: Values): string {
  return renderEnvText(inOrder(values), "", quote);
}

/** It removes no backslash, takes `\n` and `\r` within double quotes for line ends, and may read on into the next value at the end. */
function isOtherToDotenv(values: Values): (value: string) => boolean {
  const isFollowed = Object.values(values).filter(endsInBackslash).length > 1;
  return (value) => (/['\r]/.test(value) && /["$\\`]/.test(value)) || (isFollowed && endsInBackslash(value));
}

function namesTold(names: readonly string[]): string {
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return names.slice(0, 10).join(", ") + more;
}

/** A remark for each reader of the file to which values are others. */
export function sayReadOtherwise(values: Values): readonly string[] {
  const byNode = parseEnv(renderDotenv(values));
  const namesOf = (isOther: (value: string, name: string) => boolean): readonly string[] =>
    Object.entries(values).flatMap(([name, value]) => (isOther(value, name) ? [name] : []));
  const readers = [
    ["Node.js (--env-file)", namesOf((value, name) => byNode[name] !== value)],
    ["dotenv", namesOf(isOtherToDotenv(values))],
    ["A shell", namesOf((value) => value.includes("\r"))],
  ] as const;
  return readers.flatMap(([reader, names]) =>
    names.length === 0
      ? []
      : [`${reader} reads other values of ${namesTold(names)}: take reeve run, or another --format for it.`],
  );
}
