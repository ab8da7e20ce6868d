// Attempts to sign in to an account by its name: who is paused, and what a failure counts for.
import { hashCredential } from "../../platform/kernel/credential.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { formatWait } from "../../platform/kernel/text/time-text.ts";
import { createKeyedLimiter } from "../../platform/kernel/scheduling/keyed-limiter.ts";
import { isKnownDevice } from "../methods/devices.ts";
import { accountSubject, failureSubjects, findPause } from "../methods/failures/failures.ts";
import { findForSignIn } from "../methods/password-sign-in.ts";
import type { FoundPassword } from "../methods/password-sign-in.ts";
import type { SignInClient, SignInDependencies } from "./sign-in-methods.ts";

export interface Attempt {
  /** Undefined: there is no such account, or it is paused, which nobody is told. */
  readonly found: FoundPassword | undefined;
  readonly isKnownDevice: boolean;
  /** What a failure is counted for. */
  readonly subjects: readonly string[];
}

/**
 * Attempts at one account, or from one known device, whose outcome is open. A failure pauses the next attempt only when it is
 * counted: without a bound, as many guesses as fit into the queue of hashes would begin before.
 */
const MAX_OPEN = 3;

function paused(pauseMs: number): ApiError {
  const seconds = Math.ceil(pauseMs / SECOND_MS);
  return new ApiError("too_many_sign_ins", `Too many attempts: try again in ${formatWait(seconds)}`, {
    retryAfter: seconds,
  });
}

/**
 * Makes an attempt with a proof: `again` is one of somebody who is signed in. Throws `too_many_sign_ins` while there is a pause. While only
 * the account is paused, by failures under another of its names, the attempt is one at an account that does not exist.
 */
export type RunAttempt = <T>(
  kind: "account" | "codes" | "again",
  login: string,
  client: SignInClient,
  prove: (attempt: Attempt) => Promise<T>,
) => Promise<T>;

export function createAttempts({ reader, clock }: Pick<SignInDependencies, "reader" | "clock">): RunAttempt {
  const open = createKeyedLimiter({ each: MAX_OPEN, all: Infinity }, () => paused(SECOND_MS));
  return async (way, login, { origin, device }, prove) => {
    const kind = way === "again" ? "account" : way;
    const found = await findForSignIn(reader, login);
    const hash = device === null ? null : hashCredential(device);
    const isKnown = found !== undefined && hash !== null && (await isKnownDevice(reader, found.userId, hash));
    const subjects = failureSubjects({ kind, login, ip: origin.ip, knownDeviceHash: isKnown ? hash : null });
    const ofAccount = found === undefined || isKnown ? [] : [accountSubject(kind, found.userId)];
    const counted = [...subjects, ...ofAccount];
    const close = open.take(subjects[0]);
    try {
      const pauseMs = await findPause(reader, way === "again" ? counted : subjects, clock());
      if (pauseMs > 0) throw paused(pauseMs);
      const isHeld = (await findPause(reader, ofAccount, clock())) > 0;
      return await prove(
        isHeld
          ? { found: undefined, isKnownDevice: false, subjects }
          : { found, isKnownDevice: isKnown, subjects: counted },
      );
    } finally {
      close();
    }
  };
}
