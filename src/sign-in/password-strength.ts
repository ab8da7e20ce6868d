// Whether a new password is strong enough: long, or hard to guess. No rules of composition: they make passwords worse
// (NIST SP 800-63B, section 3.1.1.2).

const MIN_LENGTH = 12;
const MIN_GUESSABLE_LENGTH = 8;
/** Of a scale from 0 to 4: more than 10^8 guesses, for a password of the least length. */
const MIN_SCORE = 3;
/** More than 10^10 guesses, for one below the least length. */
const SHORT_SCORE = 4;
/** The estimate takes longer than linear time, so it sees no more characters; further ones only add strength. */
const MAX_ESTIMATED_LENGTH = 64;

/** What the person is known by: a password must not be made of it. */
export interface PersonNames {
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
}

type Estimate = (password: string, names: readonly string[]) => number;

let loading: Promise<Estimate> | undefined;

/** The dictionaries are large and seldom needed, so they are loaded for the first new password. */
async function loadEstimate(): Promise<Estimate> {
  const [{ ZxcvbnFactory }, common] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
  ]);
  const zxcvbn = new ZxcvbnFactory({ dictionary: common.dictionary, graphs: common.adjacencyGraphs });
  return (password, names) => zxcvbn.check(password, [...names]).score;
}

/** What is wrong with a new password, as a sentence for its owner; null: nothing. */
export async function findWeakness(password: string, { email, username, name }: PersonNames): Promise<string | null> {
  const text = password.normalize("NFKC");
  if (text.length < MIN_GUESSABLE_LENGTH) return `expected at least ${MIN_LENGTH} characters`;
  const names = [username, email, email.split("@")[0] ?? "", ...(name?.split(/\s+/) ?? [])].filter((one) => one !== "");
  const estimate = await (loading ??= loadEstimate());
  const score = estimate(text.slice(0, MAX_ESTIMATED_LENGTH), names);
  if (text.length < MIN_LENGTH) {
    return score >= SHORT_SCORE ? null : `expected at least ${MIN_LENGTH} characters, or fewer that are hard to guess`;
  }
  return score >= MIN_SCORE
    ? null
    : "this is too easy to guess: expected several words, or characters without a pattern";
}
