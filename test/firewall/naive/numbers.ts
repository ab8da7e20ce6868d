// What is a number, written from the table of docs/firewall.md.

/** Python's white space that is not JavaScript's becomes a space. */
const asSpaces = (text: string) =>
  Array.from(text, (one) => ("\x1c\x1d\x1e\x1f\x85".includes(one) ? " " : one)).join("");

/** The digits of all scripts, by their code points. */
const DIGITS = new Map<string, number>();
for (let code = 0x80, run = 0; code < 0x1_ffff; code++) {
  const character = String.fromCodePoint(code);
  run = /\p{Nd}/u.test(character) ? run + 1 : 0;
  if (run > 0) DIGITS.set(character, (run - 1) % 10);
}

const INFINITIES = ["inf", "infinity"];

/** NaN: it is none. */
export function readNumber(text: string): number {
  const trimmed = asSpaces(text).trim();
  const plain = Array.from(trimmed, (one) => DIGITS.get(one) ?? one)
    .join("")
    .toLowerCase();
  const sign = plain.startsWith("-") ? -1 : 1;
  const unsigned = plain.replace(/^[+-]/, "");
  if (INFINITIES.includes(unsigned)) return sign * Infinity;
  const withBase = /^0[xob]/.test(unsigned);
  const digits = unsigned.replace(withBase ? /(?<=.[0-9a-f])_(?=[0-9a-f])/g : /(?<=[0-9])_(?=[0-9])/g, "");
  const isNumber = withBase
    ? /^0(?:x[0-9a-f]+|o[0-7]+|b[01]+)$/.test(digits)
    : /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?$/.test(digits);
  return isNumber ? sign * Number(digits) : Number.NaN;
}
