// The internal changes of signing in.
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { countAsking } from "./codes/mail-limits.ts";
import { createLinkForUser, useLink } from "./codes/links.ts";
import { pruneCodes } from "./codes/one-time-codes.ts";
import { signInWithRecoveryCode } from "./codes/recovery-codes.ts";
import { queueRecovery } from "./codes/recovery-mail.ts";
import { confirmEmail } from "./email/change.ts";
import { pruneFailures, recordSignInFailure, clearFailures } from "./failures/failures.ts";
import type { ApplyRoles, IdentityOutcome, IdentitySignIn } from "./identities/sign-in.ts";
import { addMethodOf } from "./methods.ts";
import { createChallenge, signInWithPasskey } from "./passkeys.ts";
import { signInWithPassword } from "./password-sign-in.ts";
import { queueSignUp, signUp } from "./sign-up.ts";
import type { Origin } from "../../platform/kernel/caller.ts";
import { recordProof } from "../sessions/open.ts";
import type { SignInMethod } from "../sessions/open.ts";
import { actAs } from "./account.ts";
import { proveWithIdentity, signInWithIdentity } from "./identities/sign-in.ts";
import { beginProviderStep, keepIdentity, linkKeptIdentity, takeProviderStep } from "./identities/provider-steps.ts";

/** Roles in teams are a later resource's. */
function createProviderChanges(applyRoles: ApplyRoles) {
  return {
    beginProviderStep,
    takeProviderStep,
    signInWithIdentity: (tx: Tx, input: IdentitySignIn, now: number): Promise<IdentityOutcome> =>
      signInWithIdentity(tx, applyRoles, input, now),
    proveWithIdentity,
    keepIdentity,
    linkKeptIdentity,
  };
}

interface SessionProof {
  readonly userId: string;
  readonly sessionId: string;
  readonly method: SignInMethod;
  readonly subjects: readonly string[];
  readonly origin: Origin;
}

/** Internal change. The proof was verified. */
async function proveSession(
  tx: Tx,
  { userId, sessionId, method, subjects, origin }: SessionProof,
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  await recordProof(tx, act, { userId, sessionId, method });
  await clearFailures(tx, subjects);
}

export function createSignInChanges(applyRoles: ApplyRoles) {
  return {
    ...createProviderChanges(applyRoles),
    createSignInLink: createLinkForUser,
    useSignInLink: useLink,
    signInWithPassword,
    recordSignInFailure,
    proveSession,
    addSignInMethod: addMethodOf,
    createPasskeyChallenge: createChallenge,
    signInWithPasskey,
    signInWithRecoveryCode,
    countAskedMail: countAsking,
    queueRecovery,
    queueSignUp,
    signUp,
    confirmEmail,
    pruneSignInCodes: pruneCodes,
    pruneSignInFailures: (tx: Tx, _input: null, now: number) => pruneFailures(tx, now),
  };
}

export type SignInChanges = ChangeRunner<ReturnType<typeof createSignInChanges>>;
