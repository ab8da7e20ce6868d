// The internal commands of signing in and of credentials.
import type { CommandRunner } from "../kernel/internal-commands.ts";
import type { Tx } from "../kernel/tx.ts";
import { exchangeIdentity, pruneIdentity, recordIdentityRefusal } from "../resources/api-keys/identity/issue.ts";
import { oauthCommands } from "../resources/oauth/commands.ts";
import { pruneSessions } from "../resources/sessions/end.ts";
import { countAsking } from "../resources/sign-in/codes/asked-mail.ts";
import { createLinkForUser, useLink } from "../resources/sign-in/codes/links.ts";
import { pruneCodes } from "../resources/sign-in/codes/one-time-codes.ts";
import { signInWithRecoveryCode } from "../resources/sign-in/codes/recovery-codes.ts";
import { queueRecovery } from "../resources/sign-in/codes/recovery-mail.ts";
import { confirmEmail } from "../resources/sign-in/email/change.ts";
import { pruneFailures, recordSignInFailure } from "../resources/sign-in/failures/failures.ts";
import { createProviderCommands } from "../resources/sign-in/identities/commands.ts";
import type { ApplyRoles } from "../resources/sign-in/identities/sign-in.ts";
import { addMethodOf } from "../resources/sign-in/methods.ts";
import { createChallenge, signInWithPasskey } from "../resources/sign-in/passkeys.ts";
import { signInWithPassword } from "../resources/sign-in/password-sign-in.ts";
import { proveSession } from "../resources/sign-in/prove.ts";
import { queueSignUp, signUp } from "../resources/sign-in/sign-up.ts";
import { bootstrapInstance } from "../resources/tokens/bootstrap.ts";
import { issueTokenForUser, noteUses } from "../resources/tokens/commands.ts";

export function createIdentityCommands(applyRoles: ApplyRoles) {
  return {
    ...createProviderCommands(applyRoles),
    ...oauthCommands,
    bootstrapInstance,
    exchangeIdentity,
    recordIdentityRefusal,
    pruneIdentity,
    noteUses,
    issueToken: issueTokenForUser,
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
    pruneSessions,
    pruneSignInCodes: pruneCodes,
    pruneSignInFailures: (tx: Tx, _input: null, now: number) => pruneFailures(tx, now),
  };
}

export type IdentityCommands = CommandRunner<ReturnType<typeof createIdentityCommands>>;
