// Passwords as they are hashed and judged: the same text, whatever keyboard typed it.
import { fieldError } from "../kernel/errors.ts";

/** In characters, so that a passphrase in any script has the same space. */
export const MAX_PASSWORD_LENGTH = 256;

/** In Unicode code points. */
export function lengthOf(password: string): number {
  return Array.from(password).length;
}

/**
 * The form of a password that is hashed: NFKC, because systems type the same characters in different encodings.
 * Throws `bad_request` for one that is too long, before any work is spent on it.
 */
export function normalizePassword(password: string): string {
  // A character has one or two code units: what is longer than that needs no counting.
  if (password.length > 2 * MAX_PASSWORD_LENGTH || lengthOf(password) > MAX_PASSWORD_LENGTH) {
    throw fieldError("bad_request", "body.password", `expected at most ${MAX_PASSWORD_LENGTH} characters`);
  }
  return password.normalize("NFKC");
}
