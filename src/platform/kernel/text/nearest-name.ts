// Finds the name that was probably meant, for messages about unknown names.
import { INSTEAD, SYNONYMS } from "./synonyms.ts";

/** Edits of one character (add, drop, replace, swap neighbours) between two words: optimal string alignment. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const replace = (last[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      let best = Math.min(replace, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (isSwap) best = Math.min(best, (beforeLast[j - 2] as number) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] as number;
}

/** Longer names are cut before they are compared, because a request can send any length. */
const MAX_NAME_LENGTH = 40;

/** More edits, or more than in every third letter, are another word. */
const MAX_DISTANCE = 2;
const LETTERS_AN_EDIT = 3;

/** A word as it is compared: capitals, dashes, underscores and dots are no difference. */
const fold = (name: string) => name.toLowerCase().replace(/[-_.]/g, "");

/** `deliveries` becomes `delivery`. */
export const singular = (word: string) => word.replace(/ies$/, "y").replace(/s$/, "");

/** The names that are near enough to be a typing error, and about as near as the nearest, which is first. */
export function nearestNames(name: string, names: readonly string[], count: number): string[] {
  const given = fold(name);
  const limit = Math.min(MAX_DISTANCE, Math.floor(given.length / LETTERS_AN_EDIT));
  const near = names
    .map((candidate) => ({ candidate, folded: fold(candidate) }))
    .filter(({ folded }) => Math.abs(folded.length - given.length) <= limit)
    .map(({ candidate, folded }) => ({ candidate, distance: editDistance(given, folded) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((a, b) => a.distance - b.distance || editDistance(name, a.candidate) - editDistance(name, b.candidate));
  const least = near[0]?.distance ?? 0;
  return near
    .filter(({ distance }) => distance <= least + 1)
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** The nearest name, if it is near enough to be a typing error. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  return nearestNames(name, names, 1)[0];
}

/** As `nearestHint`, without other words for a name: for the client, which is small. */
export function spellingHint(name: string, names: readonly string[]): string {
  const nearest = nearestName(name.slice(0, MAX_NAME_LENGTH), names) ?? longerName(name, names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** The shortest name that has another one as its first or last word, such as `clientSecretEnv`. */
function longerName(name: string, names: readonly string[]): string | undefined {
  const word = name.charAt(0).toUpperCase() + name.slice(1);
  const isLonger = (other: string) =>
    other.endsWith(word) || (other.startsWith(name) && /^[A-Z]/.test(other.slice(name.length)));
  const longer = name.length < LETTERS_AN_EDIT ? [] : names.filter(isLonger);
  return longer.toSorted((a, b) => a.length - b.length)[0];
}

/** The name that was probably meant: by another word for it, another spelling, or a part of it. */
function meantName(name: string, names: readonly string[]): string | undefined {
  const word = fold(name);
  const synonyms = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : [];
  const other = synonyms?.find((synonym) => names.includes(synonym));
  const same = names.find((one) => fold(one) === word);
  return same ?? other ?? nearestName(name, names) ?? longerName(name, names);
}

/** The end of an error message about an unknown name: the name that was probably meant, if there is one. */
export function nearestHint(name: string, names: readonly string[]): string {
  const nearest = meantName(name.slice(0, MAX_NAME_LENGTH), names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

/** More keys are no help in a message. */
const MAX_SHOWN = 12;

/** The keys that an object may have, in words. */
export function knownKeys(known: readonly string[]): string {
  return known.length === 0 ? "no key" : `one of ${known.join(", ")}`;
}

/** The error message for an unknown member of an object: the one that was probably meant, else those that there are. */
export function unknownKey(name: string, known: readonly string[]): string {
  const word = fold(name.slice(0, MAX_NAME_LENGTH));
  const instead = Object.hasOwn(INSTEAD, word) ? INSTEAD[word] : undefined;
  if (instead && known.includes(instead.beside)) return `unknown key; ${instead.advice}`;
  const hint = nearestHint(name, known);
  if (hint !== "" || known.length === 0) return `unknown key${hint}`;
  const more = known.length > MAX_SHOWN ? ", ..." : "";
  return `unknown key; expected ${knownKeys(known.slice(0, MAX_SHOWN))}${more}`;
}
