// Values as lines that a POSIX shell reads back exactly, and so do parsers of `.env` files, except values that have a single quote beside
// one of `"`, `$`, `\` and a backtick: no form of those is the same to all of them.

/** To zsh, what follows a `=` at the beginning or behind a colon is the name of a command, which it replaces by its path. */
const PLAIN = /^(?!=|.*:=)[A-Za-z0-9_./:@%+,=-]+$/;
/** What a shell expands within double quotes. */
const EXPANDED = /["$\\`]/g;

function quote(value: string): string {
  if (PLAIN.test(value)) return value;
  return value.includes("'") ? `"${value.replaceAll(EXPANDED, String.raw`\$&`)}"` : `'${value}'`;
}

/** `prefix` begins each entry, as `export ` does. */
export function renderEnvText(values: Iterable<readonly [name: string, value: string]>, prefix = ""): string {
  return Array.from(values, ([name, value]) => `${prefix}${name}=${quote(value)}\n`).join("");
}
