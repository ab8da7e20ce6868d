// Escapes untrusted text for a terminal: no character of the result moves the cursor, sets a colour, or hides or reorders text.

/** Control characters (C0, DEL, C1), direction marks, line separators and lone surrogates. */
// oxlint-disable-next-line no-control-regex -- the expression searches for them
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The text with such characters written as `\u001b`, which keeps the meaning of JSON. */
export function toPrintable(text: string): string {
  return text.replace(UNPRINTABLE, escape);
}

/** The same for text of several lines; line breaks stay. */
export function toPrintableLines(text: string): string {
  return text.split("\n").map(toPrintable).join("\n");
}
