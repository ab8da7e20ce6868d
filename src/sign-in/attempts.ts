// Attempts to sign in to an account by its name: who is paused, and what a failure counts for.
import { hashCredential } from "../kernel/credential.ts";
import { ApiError } from "../kernel/errors.ts";
import { isKnownDevice } from "../resources/sign-in/devices.ts";
import { failureSubjects, findPause } from "../resources/sign-in/failures.ts";
import { findForSignIn } from "../resources/sign-in/password-sign-in.ts";
import type { FoundPassword } from "../resources/sign-in/password-sign-in.ts";
import type { SignInClient, SignInDependencies } from "./ways.ts";

export interface Attempt {
  /** Undefined: there is no such account, which nobody is told. */
  readonly found: FoundPassword | undefined;
  readonly isKnownDevice: boolean;
  /** What a failure is counted for. */
  readonly subjects: readonly string[];
}

function refusePause(pauseMs: number): void {
  if (pauseMs === 0) return;
  const seconds = Math.ceil(pauseMs / 1000);
  throw new ApiError("too_many_sign_ins", `Too many attempts: try again in ${seconds} s`, { retryAfter: seconds });
}

/** Begins an attempt. Throws `too_many_sign_ins` while there is a pause. */
export async function beginAttempt(
  { reader, clock }: Pick<SignInDependencies, "reader" | "clock">,
  login: string,
  { origin, device }: SignInClient,
): Promise<Attempt> {
  const found = await findForSignIn(reader, login);
  const deviceHash = device === null ? null : hashCredential(device);
  const isKnown = found !== undefined && deviceHash !== null && (await isKnownDevice(reader, found.userId, deviceHash));
  const subjects = failureSubjects({ login, ip: origin.ip, knownDeviceHash: isKnown ? deviceHash : null });
  refusePause(await findPause(reader, subjects, clock()));
  return { found, isKnownDevice: isKnown, subjects };
}

/** Counts and records a failure, the same way for accounts that do not exist, and throws the refusal. */
export async function failAttempt(
  { commands, clock }: Pick<SignInDependencies, "commands" | "clock">,
  { found, subjects }: Attempt,
  { origin }: SignInClient,
  message: string,
): Promise<never> {
  await commands.recordSignInFailure({ userId: found?.userId ?? null, subjects, origin }, clock());
  throw new ApiError("sign_in_failed", message);
}
