// Proving who one is with a password.
import type { Attempt } from "./attempts.ts";
import { failAttempt } from "./attempts.ts";
import type { SignInClient, SignInDependencies } from "./ways.ts";

/** Verifies the password of an attempt; an account that does not exist takes as long, and is refused in the same words. */
export async function verifyPassword(
  dependencies: SignInDependencies,
  attempt: Attempt,
  password: string,
  client: SignInClient,
) {
  const { hashing } = dependencies;
  const { found, subjects, isKnownDevice } = attempt;
  const stored = found?.passwordHash ?? null;
  const { isValid, needsRehash } = await hashing.verify(stored, password, { isKnownDevice });
  if (!found || stored === null || !isValid) {
    return await failAttempt(dependencies, attempt, client, "The name or the password is wrong");
  }
  const renewal = needsRehash ? { from: stored, hash: await hashing.hash(password) } : null;
  return { userId: found.userId, subjects, renewal };
}
