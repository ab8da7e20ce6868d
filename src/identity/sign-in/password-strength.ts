// Whether a new password is hard enough to guess. No rules of composition: they make passwords worse (NIST SP 800-63B,
// section 3.1.1.2). The estimate knows common passwords, words, dates, keyboards, repeats, and what the person is known by.
import type { ZxcvbnFactory, ZxcvbnResult } from "@zxcvbn-ts/core";
import { lengthOf, normalizePassword } from "./password-text.ts";

/** In characters. Shorter ones are never hard to guess. */
const MIN_LENGTH = 8;
/**
 * More than 10^10 guesses. Score 3 is 10^8, which any three guessable parts reach: a word, a year and a sign, or one's name and a
 * number.
 */
const MIN_SCORE = 4;
/**
 * The estimate takes more than linear time, and most for many digits and substitutions. With these bounds the worst inputs take a
 * tenth of what they do without (2 ms for ordinary ones). A password whose first 64 code units are guessable is refused.
 */
const BOUNDS = { maxLength: 64, l33tMaxSubstitutions: 20 };
/** Shorter parts of names occur in any text. */
const MIN_WORD_LENGTH = 3;

const ADVICE = "Four words that have nothing to do with each other are hard to guess and easy to remember.";

/** What a password is built on, by the pattern of the estimate. */
const FOUNDATIONS: Readonly<Record<string, string>> = {
  dictionary: "a common word or password",
  wordSequence: "words that follow each other",
  repeat: "repeated characters",
  sequence: "characters that follow each other",
  spatial: "neighbouring keys",
  date: "a date",
  regex: "a year",
};
const NAMES = "your name or address";

/** What the person is known by: a password must not be made of it. */
export interface PersonNames {
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
}

let loading: Promise<ZxcvbnFactory> | undefined;

async function loadEstimator(): Promise<ZxcvbnFactory> {
  return (await import("./password-estimator.ts")).createEstimator(BOUNDS);
}

async function getEstimator(): Promise<ZxcvbnFactory> {
  try {
    return await (loading ??= loadEstimator());
  } catch (error) {
    // The next password tries again: no file could be opened, for one.
    loading = undefined;
    throw error;
  }
}

function wordsOf({ email, username, name }: PersonNames): string[] {
  const texts = [email, username, name ?? "", "reeve"].map((text) => text.normalize("NFKC"));
  const parts = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u));
  return [...texts, ...parts].filter((word) => word.length >= MIN_WORD_LENGTH);
}

/** The longest part of a password that a guesser knows; undefined where each character has to be guessed. */
function describeFoundation({ sequence }: ZxcvbnResult): string | undefined {
  const known = sequence.filter(({ pattern }) => pattern in FOUNDATIONS);
  const [longest] = known.toSorted((a, b) => b.token.length - a.token.length);
  if (longest === undefined) return undefined;
  return longest["dictionaryName"] === "userInputs" ? NAMES : FOUNDATIONS[longest.pattern];
}

/**
 * What is wrong with a new password and what to do about it, as text for its owner after the field's name; null: nothing.
 * Throws `bad_request` for one that is too long.
 */
export async function findWeakness(password: string, names: PersonNames): Promise<string | null> {
  const text = normalizePassword(password);
  if (lengthOf(text) < MIN_LENGTH) return `expected at least ${MIN_LENGTH} characters. ${ADVICE}`;
  const estimator = await getEstimator();
  const estimate = estimator.check(text, wordsOf(names));
  if (estimate.score >= MIN_SCORE) return null;
  const foundation = describeFoundation(estimate);
  const reason = foundation === undefined ? "it is short" : `it is built on ${foundation}`;
  return `too easy to guess: ${reason}. ${ADVICE}`;
}
