// Reads what a POSIX shell would take from assignments that are written out. What a shell would run or replace is an error: the file
// means something that only a shell can tell.
// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02
import type { Failure } from "../../platform/outcomes/failure.ts";
import { readAssignments, take } from "./assignments.ts";
import type { Position } from "./assignments.ts";

const BLANK = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;
const BEGINNING = /[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=/y;
/** Braces, stars and the like mean something behind `export`, to some shells. */
const PLAIN = /[^ \t\n'"$`\\;&|<>(){}*?[\]!~]+/y;
/** It is replaced at the beginning of a value and behind a colon, also where a line that goes on is between. */
const TILDE = /(?<=[^=:\n])~/y;
const ESCAPED = /\\([^])/y;
const SINGLE = /'([^']*)'/y;
const DOUBLE = /"((?:[^"\\$`]|\\[^])*)"/y;
/** What a backslash is removed from within double quotes; a line that it ends goes on. */
const ESCAPES = /\\(?:([$`"\\])|\n)/g;

/** The next piece of a value; null: there is none. */
function takePiece(position: Position): string | null {
  const plain = take(position, PLAIN) ?? take(position, TILDE);
  if (plain) return plain[0];
  const escaped = take(position, ESCAPED);
  if (escaped) return escaped[1] === "\n" ? "" : (escaped[1] as string);
  const single = take(position, SINGLE);
  if (single) return single[1] as string;
  return take(position, DOUBLE)?.[1]?.replaceAll(ESCAPES, "$1") ?? null;
}

function readValue(position: Position, name: string, fail: (expected: string) => Failure): string {
  let value = "";
  for (let piece = takePiece(position); piece !== null; piece = takePiece(position)) value += piece;
  if (take(position, BLANK)) return value;
  throw fail(`one value of ${name} that is written out, in single quotes if a shell would run or replace a part of it`);
}

const SHELL = {
  blank: BLANK,
  beginning: BEGINNING,
  line: "NAME=value, export NAME=value, a comment or nothing",
  readValue,
};

/** Values by name. Throws a Failure with the line that is wrong, never with what is on it. */
export function parseShell(file: string, text: string): ReadonlyMap<string, string> {
  return readAssignments(file, text, SHELL);
}
