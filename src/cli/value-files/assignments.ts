// Reads files of `NAME=value` lines, whatever form the values have. A line that is no assignment is an error, because `env push --prune`
// removes what a file does not have.
import { Failure } from "../../platform/outcomes/failure.ts";

/** Where in a text a reader is. */
export interface Position {
  readonly text: string;
  at: number;
}

/** What a sticky expression matches at the position, which goes behind it; null: nothing, and it stays. */
export function take(position: Position, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = position.at;
  const match = pattern.exec(position.text);
  if (match) position.at = pattern.lastIndex;
  return match;
}

export interface Form {
  /** The rest of a line that says nothing, and its end. */
  readonly blank: RegExp;
  /** A name and what leads to its value. */
  readonly beginning: RegExp;
  /** What a line may be, for the message. */
  readonly line: string;
  /** Reads a value; what is left of its line is blank. */
  readValue(position: Position, name: string, fail: (expected: string) => Failure): string;
}

/** Without carriage returns where every line ends with one; elsewhere they belong to the values that have them. */
function withoutReturns(text: string): string {
  return /(?<!\r)\n/.test(text) ? text : text.replaceAll("\r\n", "\n");
}

/** Values by name. Throws a Failure with the line that is wrong, never with what is on it. */
export function readAssignments(
  file: string,
  given: string,
  { blank, beginning, line, readValue }: Form,
): ReadonlyMap<string, string> {
  const position: Position = { text: withoutReturns(given), at: 0 };
  const values = new Map<string, string>();
  while (position.at < position.text.length) {
    if (take(position, blank)) continue;
    const start = position.at;
    const fail = (expected: string) => {
      const number = position.text.slice(0, start).split("\n").length;
      return new Failure("usage", `${file}, line ${number}: expected ${expected}`);
    };
    const [, name] = take(position, beginning) ?? [];
    if (name === undefined) throw fail(line);
    const value = readValue(position, name, fail);
    if (values.has(name)) throw fail(`${name} once, it is there before`);
    values.set(name, value);
  }
  return values;
}
