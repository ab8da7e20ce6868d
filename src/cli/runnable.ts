// Turns commands in texts, `reeve keys rotate` and lines of examples, into what runs them where the text is printed.

import { shellWord } from "../kernel/text/shell-word.ts";

/** Commands that find their data by the settings of the server. */
const OF_DATA = /^(?:backup|doctor|events verify|export|import|keys|migrate|restore|serve|token|user)\b/;

export interface Invocation {
  /** What people write in place of `reeve`. */
  readonly command: string;
  /** The flag that leads to the same data, as it was written; empty: there was none. */
  readonly dataFlag: string;
}

/** The flag `--data-dir` of a command line. */
export function findDataFlag(args: readonly string[]): string {
  const at = args.findIndex((word) => word === "--data-dir" || word.startsWith("--data-dir="));
  const word = args[at];
  const value = word === "--data-dir" ? args[at + 1] : word?.slice("--data-dir=".length);
  return value === undefined ? "" : `--data-dir ${shellWord(value)}`;
}

/** Commands between backquotes. */
export function makeRunnable(text: string, { command, dataFlag }: Invocation): string {
  return text.replaceAll(/`reeve ([a-z_][^`]*)`/g, (_, words: string) => {
    const flag = dataFlag !== "" && OF_DATA.test(words) && !words.includes("--data-dir") ? ` ${dataFlag}` : "";
    return `\`${command} ${words}${flag}\``;
  });
}

/** A whole command line, which may be part of another one. */
export function runnableLine(line: string, command: string): string {
  return line.replaceAll(/(^|[\s(])reeve (?=[a-z])/g, (_, before: string) => `${before}${command} `);
}
