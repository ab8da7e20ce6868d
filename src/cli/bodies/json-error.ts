// Where a text stops being JSON, and why: the messages of JSON.parse quote the text, which may be secret.
import { lowerFirst } from "../../platform/kernel/text/lower-first.ts";

/** The reason where a parser's message would quote the text. */
export const WRONG_CHARACTER = "a character where none is expected";

/** Its messages without a position quote what they stumble over; those with one are fixed texts. */
const QUOTES = /^(?:Unexpected token|")/;
const POSITIONED = /^([^"]*?)(?: in JSON)? at position \d+ \(line (\d+) column \d+\)$/;

function messageFor(text: string): string {
  try {
    JSON.parse(text);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const lineAt = (text: string, end: number): number => text.slice(0, end).split("\n").length;

/** The length of the shortest beginning that has a character which can't be there: every longer one has it too. */
function lengthWithWrong(text: string): number {
  let [without, length] = [0, text.length];
  while (length - without > 1) {
    const middle = (without + length) >> 1;
    if (QUOTES.test(messageFor(text.slice(0, middle)))) length = middle;
    else without = middle;
  }
  return length;
}

/** Of a text that JSON.parse refuses: the line (from 1), and the reason without anything of the text. */
export function explainJson(text: string): { readonly line: number; readonly reason: string } {
  const message = messageFor(text);
  if (QUOTES.test(message)) {
    return { line: lineAt(text, lengthWithWrong(text)), reason: WRONG_CHARACTER };
  }
  const [, reason = "unexpected end of JSON input", line] = POSITIONED.exec(message) ?? [];
  return { line: line === undefined ? lineAt(text, text.length) : Number(line), reason: lowerFirst(reason) };
}
