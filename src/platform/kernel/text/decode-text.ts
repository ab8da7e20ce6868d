// Decodes the text of files, standard input, settings and documents of others: UTF-8 without its byte order mark, or refused.
import { isUtf8 } from "node:buffer";

const REPLACED = "\uFFFD";
const REPLACED_BYTES = Buffer.from(REPLACED);
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Where bytes stop being UTF-8: everything before it is, so its length in characters gives that in bytes. */
function firstWrong(bytes: Buffer): number {
  const text = bytes.toString("utf8");
  let [at, offset] = [0, 0];
  for (let next = text.indexOf(REPLACED); next !== -1; next = text.indexOf(REPLACED, at)) {
    offset += Buffer.byteLength(text.slice(at, next));
    if (!bytes.subarray(offset, offset + REPLACED_BYTES.length).equals(REPLACED_BYTES)) break;
    offset += REPLACED_BYTES.length;
    at = next + 1;
  }
  return offset;
}

/** The mark of UTF-16, and of UTF-32, which begins with one or with two zero bytes. */
function isUtf16(bytes: Buffer): boolean {
  const [first, second, third, fourth] = bytes;
  if (first === 0 && second === 0) return third === 0xfe && fourth === 0xff;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/** What is wrong with bytes that should be text: where, and nothing of them, because they may be secret. Null: nothing. */
export function findEncodingProblem(bytes: Buffer): string | null {
  if (isUtf16(bytes))
    return "expected UTF-8, got UTF-16 or UTF-32 (by the byte order mark at offset 0): save it as UTF-8";
  return isUtf8(bytes) ? null : `expected UTF-8, got a byte at offset ${firstWrong(bytes)} that it cannot have there`;
}

export const hasMark = (bytes: Buffer): boolean => bytes.subarray(0, MARK.length).equals(MARK);

/** The same of text that Node has decoded itself, such as arguments and variables. Its own U+FFFD cannot be told from a replacement. */
export function findReplacement(text: string): string | null {
  return text.includes(REPLACED) ? "expected UTF-8, got other bytes, or U+FFFD, which takes their place" : null;
}

/** The bytes behind a byte order mark, or all. */
export const withoutMark = (bytes: Buffer): Buffer => (hasMark(bytes) ? bytes.subarray(MARK.length) : bytes);

/** The text without a byte order mark. Throws an Error that says what was expected. */
export function decodeText(bytes: Buffer): string {
  const problem = findEncodingProblem(bytes);
  if (problem !== null) throw new Error(problem);
  return withoutMark(bytes).toString("utf8");
}
