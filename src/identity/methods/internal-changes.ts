// The internal changes of signing in.
import type { ChangeRunner } from "../../platform/kernel/internal-changes.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { countAsking } from "./codes/requested-mail.ts";
import { createLinkForUser, useLink } from "./codes/links.ts";
import { pruneCodes } from "./codes/one-time-codes.ts";
import { signInWithRecoveryCode } from "./codes/recovery-codes.ts";
import { queueRecovery } from "./codes/recovery-mail.ts";
import { confirmEmail } from "./email/change.ts";
import { pruneFailures, recordSignInFailure } from "./failures/failures.ts";
import { createProviderChanges } from "./identities/internal-changes.ts";
import type { ApplyRoles } from "./identities/sign-in.ts";
import { addMethodOf } from "./methods.ts";
import { createChallenge, signInWithPasskey } from "./passkeys.ts";
import { signInWithPassword } from "./password-sign-in.ts";
import { proveSession } from "./prove.ts";
import { queueSignUp, signUp } from "./sign-up.ts";

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
