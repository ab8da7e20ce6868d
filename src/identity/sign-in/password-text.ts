// Passwords as they are hashed and judged: the same text, whatever keyboard typed it.
import { fieldError } from "../../platform/kernel/errors.ts";

/** In characters, so that a passphrase in any script has the same space. */
export const MAX_PASSWORD_LENGTH = 256;

/** In Unicode code points. */
export function lengthOf(password: string): number {
  return Array.from(password).length;
}

/** What is wrong with a password that would take too much work, as text after the field's name; null: nothing. */
export function findExcess(password: string): string | null {
  // A character has one or two code units: what is longer than that needs no counting.
  const isLong = password.length > 2 * MAX_PASSWORD_LENGTH || lengthOf(password) > MAX_PASSWORD_LENGTH;
  return isLong ? `expected at most ${MAX_PASSWORD_LENGTH} characters` : null;
}

/**
 * The form of a password that is hashed: NFKC, because systems type the same characters in different encodings.
 * Throws `bad_request` for one that is too long, before any work is spent on it.
 */
export function normalizePassword(password: string): string {
  const excess = findExcess(password);
  if (excess !== null) throw fieldError("bad_request", "body.password", excess);
  return password.normalize("NFKC");
}
