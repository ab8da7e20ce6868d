// Reads `.env` files: what Reeve writes, exactly, and what people write. Node.js's own parser skips lines that are no assignment.
import type { Failure } from "../../platform/outcomes/failure.ts";
import { readAssignments, take } from "./assignments.ts";
import type { Position } from "./assignments.ts";

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

function takeValue(position: Position): string | null {
  const quote = position.text[position.at];
  if (quote === "'") return take(position, SINGLE)?.[1] ?? null;
  if (quote === "`") return take(position, BACKTICKED)?.[1] ?? null;
  if (quote !== '"') return unquoted(take(position, UNQUOTED)?.[0] ?? "");
  const inner = take(position, DOUBLE)?.[1];
  if (inner === undefined) return null;
  return inner.replaceAll(ESCAPED, (_match, one: string) => ESCAPES[one] ?? one);
}

function readValue(position: Position, name: string, fail: (expected: string) => Failure): string {
  const isQuoted = /['"`]/.test(position.text[position.at] ?? "");
  const value = takeValue(position);
  // To shells it is a part of the value, to other readers the beginning of a comment.
  if (!isQuoted && value?.includes("#")) throw fail(`quotes around the value of ${name}, because it has a #`);
  if (value === null) throw fail(`the value of ${name} to end with the quote that begins it`);
  if (!take(position, BLANK)) throw fail(`nothing behind the quoted value of ${name}`);
  return value;
}

const DOTENV = { blank: BLANK, beginning: BEGINNING, line: "NAME=value, a comment or nothing", readValue };

/** Values by name. Throws a Failure with the line that is wrong, never with what is on it. */
export function parseDotenv(file: string, text: string): ReadonlyMap<string, string> {
  return readAssignments(file, text, DOTENV);
}
