// Reads `.env` files: what Reeve writes, exactly, and what people write. A line that is no assignment is an error, because `env push
// --prune` removes what a file does not have. Node.js's own parser skips such lines.
import { Failure } from "../failure.ts";

const BEGINNING = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/y;
const BLANK = /[ \t\r]*(?:#[^\n]*)?(?:\n|$)/y;
const SINGLE = /'([^']*)'/y;
const BACKTICKED = /`([^`]*)`/y;
const DOUBLE = /"((?:[^"\\]|\\[^])*)"/y;
const UNQUOTED = /[^\n]*/y;

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
/** What a backslash is removed from within double quotes; before anything else it stays. */
const ESCAPED = /\\([nrt"\\$`])/g;

/** Without a comment, which a space begins. */
function unquoted(text: string): string {
  return text.replace(/(?:^|[ \t])#[^]*$/, "").replace(/(?<![ \t\r])[ \t\r]+$/, "");
}

interface Position {
  readonly text: string;
  at: number;
}

function take(position: Position, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = position.at;
  const match = pattern.exec(position.text);
  if (match) position.at = pattern.lastIndex;
  return match;
}

function takeValue(position: Position): string | null {
  const quote = position.text[position.at];
  if (quote === "'") return take(position, SINGLE)?.[1] ?? null;
  if (quote === "`") return take(position, BACKTICKED)?.[1] ?? null;
  if (quote !== '"') return unquoted(take(position, UNQUOTED)?.[0] ?? "");
  const inner = take(position, DOUBLE)?.[1];
  if (inner === undefined) return null;
  return inner.replaceAll(ESCAPED, (_match, one: string) => ESCAPES[one] ?? one);
}

/** Without carriage returns where every line ends with one; elsewhere they belong to the values that have them. */
export function withoutReturns(text: string): string {
  return /(?<!\r)\n/.test(text) ? text : text.replaceAll("\r\n", "\n");
}

/** The number of the line that a position is in, from 1. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** Values by name. Throws a Failure with the line that is wrong, never with what is on it. */
export function parseDotenv(file: string, given: string): ReadonlyMap<string, string> {
  const position: Position = { text: withoutReturns(given), at: 0 };
  const values = new Map<string, string>();
  while (position.at < position.text.length) {
    if (take(position, BLANK)) continue;
    const start = position.at;
    const fail = (expected: string) =>
      new Failure("usage", `${file}, line ${lineAt(position.text, start)}: expected ${expected}`);
    const [, name] = take(position, BEGINNING) ?? [];
    if (name === undefined) throw fail("NAME=value, a comment or nothing");
    const isQuoted = /['"`]/.test(position.text[position.at] ?? "");
    const value = takeValue(position);
    // To shells it is a part of the value, to other readers the beginning of a comment.
    if (!isQuoted && value?.includes("#")) throw fail(`quotes around the value of ${name}, because it has a #`);
    if (value === null) throw fail(`the value of ${name} to end with the quote that begins it`);
    if (!take(position, BLANK)) throw fail(`nothing behind the quoted value of ${name}`);
    if (values.has(name)) throw fail(`${name} once, it is there before`);
    values.set(name, value);
  }
  return values;
}
