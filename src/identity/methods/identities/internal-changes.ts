// The internal changes of signing in with providers.
import type { Tx } from "../../../platform/kernel/tx.ts";
import { proveWithIdentity, signInWithIdentity } from "./sign-in.ts";
import type { ApplyRoles, IdentityOutcome, IdentitySignIn } from "./sign-in.ts";
import { beginProviderStep, keepIdentity, linkKeptIdentity, takeProviderStep } from "./provider-steps.ts";

/** Roles in teams are a later resource's. */
export function createProviderChanges(applyRoles: ApplyRoles) {
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
