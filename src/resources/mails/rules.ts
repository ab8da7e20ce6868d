// What of a name may be in a mail. Names are chosen by users, and mails go to people who do not know them.

const MAX_NAME_LENGTH = 40;

/**
 * A name as part of a line: one line of visible characters, short, and without what mail programs make a link of. Folded
 * first, because look-alikes of dots and slashes lead to the same places.
 */
export function plainName(name: string): string {
  const text = name
    .normalize("NFKC")
    .replace(/\b(?:[a-z][a-z\d+-]*:\/\/|mailto:|www\.)/giu, " ")
    .replace(/[\p{C}\p{Zl}\p{Zp}\u115F\u1160\u3164]+/gu, " ")
    .replace(/[:/\\@<>[\]{}|%#?=&\u3002]+/gu, " ")
    // A dot that ends a word or a name may stay: St. Mary.
    .replace(/\.+(?=\S)/gu, " ")
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
