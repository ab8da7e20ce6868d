// Decides how names appear in mail: users choose them, and mail goes to people who do not know these users.

const MAX_NAME_LENGTH = 40;
/** Enough for a year or a house number, too few for a telephone number. */
const MAX_DIGITS = 6;

/**
 * A name as part of a line: a short line of visible characters, without text that mail programs turn into links, and with few
 * digits. It is normalised first, because look-alikes of dots and slashes work in links too.
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
