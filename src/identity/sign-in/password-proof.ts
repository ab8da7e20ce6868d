// Proving who one is with a password.
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Attempt } from "./attempts.ts";
import type { SignInClient, SignInDependencies } from "./sign-in-methods.ts";

/** Verifies the password of an attempt; an account that does not exist takes as long, and is refused in the same words. */
export async function verifyPassword(
  dependencies: SignInDependencies,
  attempt: Attempt,
  password: string,
  { origin }: SignInClient,
) {
  const { hashing, changes, clock } = dependencies;
  const { found, subjects, isKnownDevice } = attempt;
  const stored = found?.passwordHash ?? null;
  const { isValid, needsRehash } = await hashing.verify(stored, password, { isKnownDevice });
  if (!found || stored === null || !isValid) {
    const failed = found ? { userId: found.userId, method: "password" as const } : null;
    await changes.recordSignInFailure({ failed, subjects, origin }, clock());
    throw new ApiError("sign_in_failed", "The name or the password is wrong");
  }
  const renewal = needsRehash ? { from: stored, hash: await hashing.hash(password) } : null;
  return { userId: found.userId, subjects, renewal };
}
