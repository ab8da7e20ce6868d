// Values as lines that a POSIX shell reads back exactly, and so do parsers of `.env` files, except values that have a single quote beside
// one of `"`, `$`, `\` and a backtick: no form of those is the same to all of them.

/** To zsh, what follows a `=` at the beginning or behind a colon is the name of a command, which it replaces by its path. */
const PLAIN = /^(?!=|.*:=)[A-Za-z0-9_./:@%+,=-]+$/;
/** What a shell expands within double quotes. */
const EXPANDED = /["$\\`]/g;

/** Within double quotes, where a shell expands nothing of it. */
export const quoteDouble = (value: string): string => `"${value.replaceAll(EXPANDED, String.raw`\$&`)}"`;

export function quoteForShell(value: string): string {
  if (PLAIN.test(value)) return value;
  return value.includes("'") ? quoteDouble(value) : `'${value}'`;
}

/** `prefix` begins each entry, as `export ` does. */
export function renderEnvText(
  values: Iterable<readonly [name: string, value: string]>,
  prefix = "",
  quote = quoteForShell,
): string {
  return Array.from(values, ([name, value]) => `${prefix}${name}=${quote(value)}\n`).join("");
}
