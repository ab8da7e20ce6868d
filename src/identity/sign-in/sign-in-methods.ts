// The ways to a session as their callers see them, and what they are given.
import type { SignUpRule } from "../../platform/kernel/settings/setting-values.ts";
import type { Account, Origin, Caller } from "../../platform/kernel/caller.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { EmailChangePreview } from "../methods/email/change.ts";
import type { InvitationPreview, Invitations } from "../methods/invitations.ts";
import type { LinkPreview } from "../methods/codes/links.ts";
import type { PasskeyAsked, PasskeyMade, PasswordChange } from "../methods/service.ts";
import type { SignInChanges } from "../methods/internal-changes.ts";
import type { Site } from "./passkeys.ts";
import type { PasswordHashing } from "./password-hashing.ts";

/** Where a sign-in comes from. */
export interface SignInClient {
  readonly site: Site;
  readonly origin: Origin;
  /** The value of the device cookie; null: this browser has none. */
  readonly device: string | null;
}

/** The cookies of a browser that has signed in. */
export interface SignedIn {
  readonly session: string;
  readonly device: string;
}

export interface PasskeyInput {
  /** What the authenticator made, as JSON. */
  readonly passkey: string;
  /** How its owner tells it from others. */
  readonly name: string;
}

/** What a form has to make a method of: a new password, or what an authenticator has made. */
export type MethodInput = { readonly password: string } | PasskeyInput;

/** What a form proves who somebody is with. */
export type ProofInput = { readonly password: string } | { readonly passkey: string };

/** Whom a new passkey is for; without an id, an account that is yet to be made. */
export interface PasskeySubject {
  readonly userId: string | null;
  readonly username: string;
  readonly name: string | null;
}

/** What the operator has set. */
export interface SignInPolicy {
  readonly hasPasswords: boolean;
  readonly hasMail: boolean;
  readonly signUp: SignUpRule;
}

export interface LinkInput {
  readonly code: string;
  /** What a set-up fills in. */
  readonly account?: { readonly name: string | null; readonly email: string };
  /** Null: sign in, and change no method. */
  readonly method: MethodInput | null;
}

/** An account that the owner of a link makes. */
export interface NewAccountInput {
  readonly code: string;
  readonly username: string;
  readonly name: string | null;
  readonly method: MethodInput;
}

/**
 * The ways to a session. Refusals are `sign_in_failed` (the same for accounts that do not exist), `too_many_sign_ins`,
 * `overloaded`, and `passwords_off`; a link or an invitation that no longer works is `link_unknown`.
 */
export interface SignIn {
  readonly policy: SignInPolicy;
  withPassword(input: { readonly login: string; readonly password: string }, client: SignInClient): Promise<SignedIn>;
  withPasskey(passkey: string, client: SignInClient): Promise<SignedIn>;
  withRecoveryCode(input: { readonly login: string; readonly code: string }, client: SignInClient): Promise<SignedIn>;
  withLink(input: LinkInput, client: SignInClient): Promise<SignedIn>;
  /** Makes the account of an invited address and joins the team. */
  withInvitation(input: NewAccountInput, client: SignInClient): Promise<SignedIn>;
  /**
   * Has a link mailed to the account that somebody names, if there is one with a confirmed address; nobody is told. Refusals are
   * `mail_off` and `too_many_mails`.
   */
  askRecovery(login: string, client: SignInClient): Promise<void>;
  /**
   * Has a link mailed to an address that makes its account; one that has an account is told so by mail, and who asks is not.
   * Refusals are `sign_up_closed` and `too_many_mails`.
   */
  askSignUp(email: string, client: SignInClient): Promise<void>;
  /** Makes the account of a confirmed address. */
  withSignUp(input: NewAccountInput, client: SignInClient): Promise<SignedIn>;
  /** The address that a link to sign up has confirmed; undefined for one that no longer works. Changes nothing. */
  previewSignUp(code: string): Promise<string | undefined>;
  /** What a link is for; undefined for one that no longer works. Changes nothing. */
  previewLink(code: string): Promise<LinkPreview | undefined>;
  /** What an invitation is for; undefined for a code that no longer works. Changes nothing. */
  previewInvitation(code: string): Promise<InvitationPreview | undefined>;
  /** What the caller is invited to the team with this id or slug for; undefined: they are not. Changes nothing. */
  previewOwnInvitation(caller: Caller, idOrSlug: string): Promise<InvitationPreview | undefined>;
  /** What a link about a change of address is for; undefined for one that no longer works. Changes nothing. */
  previewEmailChange(code: string): Promise<EmailChangePreview | undefined>;
  /** Confirms a change of address. Returns the address that has yet to confirm; null: it is changed. */
  confirmEmail(code: string, client: SignInClient): Promise<{ readonly waitsFor: "old" | "new" | null }>;
  /** Whether browsers make passkeys for a site. */
  supportsPasskeys(site: Site): boolean;
  /** What the browser's authenticator is asked, with a challenge that works once. Null: for a proof. */
  askPasskey(about: PasskeySubject | null, site: Site): Promise<unknown>;
  /** Proves again who the person of a session is. */
  prove(
    session: { readonly account: Account; readonly sessionId: string },
    proof: ProofInput,
    client: SignInClient,
  ): Promise<void>;
  /** Adds a passkey to an account, whose owner has proved lately who they are. */
  addPasskey(account: Account, input: PasskeyInput, client: SignInClient): Promise<void>;
  /** The effect of the operation that asks for a new passkey; `siteOrigin`: where the browser sees this server. */
  createPasskeyOptions(asked: PasskeyAsked, signal: AbortSignal, siteOrigin: string): Promise<unknown>;
  /** The effect of the operation that adds one. */
  createPasskey(made: PasskeyMade, signal: AbortSignal, siteOrigin: string): Promise<unknown>;
  /** The effect of the operation that sets a password. */
  setPassword(change: PasswordChange): Promise<{ readonly isSet: true; readonly changedAt: number }>;
}

export interface SignInDependencies {
  readonly reader: Tx;
  readonly changes: SignInChanges;
  readonly invitations: Invitations;
  readonly clock: Clock;
  readonly hashing: PasswordHashing;
  readonly instance: Instance;
  readonly signUp: SignUpRule;
  /** Takes the failure of what no response waits for. */
  logFailure(error: unknown): void;
}
