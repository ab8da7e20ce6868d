// Text that others wrote, as a terminal may show it: nothing in it moves the cursor, colours, hides or reorders what is shown.

/** Control characters (C0, DEL, C1), what sets a direction, line separators, and halves of characters. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The text with such characters as `\u001b`; in JSON that means the same. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, escape);
}

/** The same for a text of several lines, which stay lines. */
export function toPrintableLines(text: string): string {
  return text.split("\n").map(toPrintable).join("\n");
}
