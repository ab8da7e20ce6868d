// What of a name may be in a mail. Names are chosen by users, and mails go to people who do not know them.

const MAX_NAME_LENGTH = 40;
/** Enough for a year or a number in a row, too few for a telephone number. */
const MAX_DIGITS = 6;

/**
 * A name as part of a line: one line of visible characters, short, without what mail programs make a link of, and with few
 * digits. Folded first, because look-alikes of dots and slashes lead to the same places.
 */
export function plainName(name: string): string {
  let digits = 0;
  const text = name
    .normalize("NFKC")
    .replace(/\b(?:[a-z][a-z\d+-]*:\/\/|mailto:|www\.)/giu, " ")
    .replace(/[\p{C}\p{Zl}\p{Zp}\u115F\u1160\u3164]+/gu, " ")
    .replace(/[:/\\@<>[\]{}|%#?=&\u3002]+/gu, " ")
    // A dot that ends a word or a name may stay: St. Mary.
    .replace(/\.+(?=\S)/gu, " ")
    .replace(/\p{N}/gu, (digit) => (++digits > MAX_DIGITS ? "*" : digit))
    .replace(/\s+/gu, " ")
    .trim();
  const characters = Array.from(text);
  return characters.length > MAX_NAME_LENGTH
    ? `${characters
        .slice(0, MAX_NAME_LENGTH - 1)
        .join("")
        .trim()}…`
    : text;
}
