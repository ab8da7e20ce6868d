// What the bytes of a head are as text. HTTP says no charset, and Node.js gives the bytes as Latin-1: applications read them so, or as UTF-8.

const BEYOND_ASCII = /[^\0-\x7F]/;
const BEYOND_LATIN = /[^\0-\xFF]/;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function utf8Of(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * The texts that applications read, the likeliest first. The same for the bytes of a text, each as one character, as for the text itself:
 * so a request that is tried as text has the values of the one that the gate gets.
 */
export function textReadings(text: string): readonly string[] {
  if (!BEYOND_ASCII.test(text)) return [text];
  const asLatin = () => Buffer.from(text, "utf8").toString("latin1");
  if (BEYOND_LATIN.test(text)) return [text, asLatin()];
  const bytes = Buffer.from(text, "latin1");
  const utf8 = utf8Of(bytes);
  return utf8 === undefined ? [text, asLatin(), bytes.toString("utf8")] : [utf8, text];
}

/** The readings of all of these. */
export function readingsOf(texts: readonly string[]): readonly string[] {
  return texts.some((text) => BEYOND_ASCII.test(text)) ? texts.flatMap(textReadings) : texts;
}
