// What a search compares: text that was folded once, and the three-character pieces (trigrams) that an index finds it by.

/** The oldest entries of a list are no part of an index: so many are read as fast, and short lists cost nothing. */
export const FIRST_INDEXED = 1_024;
/** Entries of a list whose trigrams are kept apart from those of the others. */
export const SEGMENT_SIZE = 4_096;

export function segmentOf(ordinal: number): number {
  return Math.floor(ordinal / SEGMENT_SIZE);
}

/** Begins each word, so that the beginning of a word is a piece of the text like any other. */
const WORD_START = "\n\n";
/** Stands before the first word of a field: no query has it, so none matches across two fields. */
const FIELD_END = "\n";
const SEPARATORS = /[\s\p{Cc}]+/gu;
/** Diacritical marks of Latin, Greek and Cyrillic script. */
const MARKS = /[\u0300-\u036F]/g;
const GRAM_LENGTH = 3;
/** More pieces of a long query find nothing that these do not. */
const MOST_GRAMS = 8;

/**
 * Equal for what people take for the same: without case (`İ`, `ı` and `I`, `ß` and `SS`, each form of sigma), marks, and the
 * difference between compatible characters. Always here, never `lower()`: the engines do not agree on it.
 */
function fold(text: string): string {
  const bare = text.normalize("NFKD").replaceAll(MARKS, "").normalize("NFKC");
  return bare.toUpperCase().toLowerCase().replaceAll("ς", "σ").replaceAll(SEPARATORS, " ").trim();
}

/** The text by which a thing with these fields is found. */
export function searchTextOf(fields: readonly (string | null)[]): string {
  return fields
    .flatMap((field) => (field === null ? [] : [FIELD_END + WORD_START + fold(field).replaceAll(" ", WORD_START)]))
    .join("");
}

/** What a search text contains when the query matches: with fewer than three characters, the beginning of a word. */
export function searchNeedleOf(query: string): string {
  const folded = fold(query);
  if (folded === "") return "";
  const isShort = Array.from(folded).length < GRAM_LENGTH;
  return (isShort ? WORD_START : "") + folded.replaceAll(" ", WORD_START);
}

/** Some of the trigrams of a needle, its ends among them: whatever contains the needle has all of them. */
export function gramsOf(needle: string): string[] {
  const characters = Array.from(needle);
  const count = characters.length - GRAM_LENGTH + 1;
  const all = Array.from({ length: count }, (_, at) => characters.slice(at, at + GRAM_LENGTH).join(""));
  const step = Math.max(1, (count - 1) / (MOST_GRAMS - 1));
  const chosen = Array.from({ length: Math.min(count, MOST_GRAMS) }, (_, at) => all[Math.round(at * step)] as string);
  return [...new Set(chosen)];
}
