// The text that a search compares: folded once when it is stored, and split into trigrams for the index.
import { canonicalPart } from "./email-address.ts";

/** The oldest entries of a list are not indexed: scanning this many is as fast, and short lists need no index. */
export const FIRST_INDEXED = 1_024;
/** Number of entries whose trigrams share one segment of the index. */
export const SEGMENT_SIZE = 4_096;

export function segmentOf(ordinal: number): number {
  return Math.floor(ordinal / SEGMENT_SIZE);
}

/** Precedes each word, so that trigrams also cover the beginning of a word. */
const WORD_START = "\n\n";
/** Precedes the first word of a field. No query contains it, so no query matches across two fields. */
const FIELD_END = "\n";
const SEPARATORS = /[\s\p{Cc}]+/gu;
/** Diacritical marks of Latin, Greek and Cyrillic script. */
const MARKS = /[\u0300-\u036F]/g;
const GRAM_LENGTH = 3;
/** At most this many trigrams of a query are looked up in the index. */
const MOST_GRAMS = 8;

/**
 * Makes texts equal that people consider the same: it removes case (`İ`, `ı` and `I`, `ß` and `SS`, each form of sigma), marks and
 * the difference between compatible characters. SQL's `lower()` is not used because the engines disagree on it.
 */
function fold(text: string): string {
  const bare = text.normalize("NFKD").replaceAll(MARKS, "").normalize("NFKC");
  return bare.toUpperCase().toLowerCase().replaceAll("ς", "σ").replaceAll(SEPARATORS, " ").trim();
}

/** The search text of an object with these fields. */
export function searchTextOf(fields: readonly (string | null)[]): string {
  return fields
    .flatMap((field) => (field === null ? [] : [FIELD_END + WORD_START + fold(field).replaceAll(" ", WORD_START)]))
    .join("");
}

/** Fewer than three characters match the beginning of a word only. */
function needleOf(query: string): string {
  const folded = fold(query);
  if (folded === "") return "";
  const isShort = Array.from(folded).length < GRAM_LENGTH;
  return (isShort ? WORD_START : "") + folded.replaceAll(" ", WORD_START);
}

/** The texts of which search texts contain one: the query, and what it is as a part of an address. None: the query is empty. */
export function searchNeedlesOf(query: string): readonly string[] {
  return [...new Set([query, canonicalPart(query)].map(needleOf))].filter((needle) => needle !== "");
}

/** Some of the trigrams of a needle, the first and the last included. Every text that contains the needle has all of them. */
export function gramsOf(needle: string): string[] {
  const characters = Array.from(needle);
  const count = characters.length - GRAM_LENGTH + 1;
  const all = Array.from({ length: count }, (_, at) => characters.slice(at, at + GRAM_LENGTH).join(""));
  const step = Math.max(1, (count - 1) / (MOST_GRAMS - 1));
  const chosen = Array.from({ length: Math.min(count, MOST_GRAMS) }, (_, at) => all[Math.round(at * step)] as string);
  return [...new Set(chosen)];
}
