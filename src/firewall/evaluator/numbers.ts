// What is a number for conditions: everything that JavaScript, Python, PHP or Ruby takes for one (docs/firewall.md has the table).
import { trimAll } from "./request/trim.ts";
import { countCharacters } from "./time-limit.ts";

const PLAIN = /^-?[0-9]+(?:\.[0-9]+)?$/;
const DECIMAL =
  /^[+-]?(?:[0-9]+(?:_[0-9]+)*(?:\.(?:[0-9]+(?:_[0-9]+)*)?)?|\.[0-9]+(?:_[0-9]+)*)(?:e[+-]?[0-9]+(?:_[0-9]+)*)?$/i;
const WITH_BASE = /^([+-]?)(0(?:x[0-9a-f]+(?:_[0-9a-f]+)*|o[0-7]+(?:_[0-7]+)*|b[01]+(?:_[01]+)*))$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const DIGIT = /^\p{Nd}$/u;
const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
/** U+1D7CE to U+1D7FF: the digits of five alphabets. */
const MATHEMATICAL = 0x1d7ce;

/** The value of a digit of any script. Those of one script follow each other, and begin at a code point that ends with 0 or 6. */
function digitValue(code: number): number {
  if (code >= MATHEMATICAL && code <= 0x1d7ff) return (code - MATHEMATICAL) % 10;
  const end = code % 16;
  return DIGIT.test(String.fromCodePoint(code - end)) ? end : end - 6;
}

/** With ASCII's digits in place of others. */
function withAsciiDigits(text: string): string {
  return text.replaceAll(OTHER_DIGITS, (digit) => {
    countCharacters(1);
    return String(digitValue(digit.codePointAt(0) as number));
  });
}

/** NaN when the text is no number. */
export function numberOf(text: string): number {
  if (PLAIN.test(text)) return Number(text);
  const written = withAsciiDigits(trimAll(text));
  if (DECIMAL.test(written)) return Number(written.replaceAll("_", ""));
  const [, sign, digits = ""] = WITH_BASE.exec(written) ?? INFINITE.exec(written) ?? [];
  if (sign === undefined) return Number.NaN;
  const value = digits === "" ? Number.POSITIVE_INFINITY : Number(digits.replaceAll("_", ""));
  return sign === "-" ? -value : value;
}
