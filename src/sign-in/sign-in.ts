// Signing in: from what a person shows to a session. Each way has its own file; all end in an internal command that opens the session.
import type { Account, Origin } from "../kernel/caller.ts";
import type { Instance } from "../kernel/contract.ts";
import { createSecretCode, hashCredential } from "../kernel/credential.ts";
import { ApiError } from "../kernel/errors.ts";
import type { CommandRunner } from "../kernel/internal-commands.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Tx } from "../kernel/tx.ts";
import type { Commands } from "../internal-commands.ts";
import { previewInvitation } from "../resources/members/joining/join-with-account.ts";
import type { InvitationPreview } from "../resources/members/joining/join-with-account.ts";
import { previewLink, unknownLink } from "../resources/sign-in/links.ts";
import type { LinkPreview } from "../resources/sign-in/links.ts";
import type { PasswordChange } from "../resources/sign-in/service.ts";
import { requireForm, requireName } from "../resources/users/rules.ts";
import { beginAttempt, failAttempt } from "./attempts.ts";
import { makeMethod, makePassword } from "./new-methods.ts";
import { askPasskey, verifyPasskey } from "./passkey-proof.ts";
import { refusePasskey, supportsPasskeys } from "./passkeys.ts";
import type { Site } from "./passkeys.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import { verifyPassword } from "./password-proof.ts";

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

export interface LinkInput {
  readonly code: string;
  /** What a set-up fills in. */
  readonly account?: { readonly name: string | null; readonly email: string };
  /** Null: sign in, and change no method. */
  readonly method: MethodInput | null;
}

export interface InvitationInput {
  readonly code: string;
  readonly username: string;
  readonly name: string | null;
  readonly method: MethodInput;
}

/**
 * The ways to a session. Refusals are `sign_in_failed` (the same for accounts that do not exist), `too_many_sign_ins` and
 * `overloaded`; a link or an invitation that no longer works is `link_unknown`.
 */
export interface SignIn {
  withPassword(input: { readonly login: string; readonly password: string }, client: SignInClient): Promise<SignedIn>;
  withPasskey(passkey: string, client: SignInClient): Promise<SignedIn>;
  withRecoveryCode(input: { readonly login: string; readonly code: string }, client: SignInClient): Promise<SignedIn>;
  withLink(input: LinkInput, client: SignInClient): Promise<SignedIn>;
  /** Makes the account of an invited address and joins the team. */
  withInvitation(input: InvitationInput, client: SignInClient): Promise<SignedIn>;
  /** What a link is for; undefined for one that no longer works. Changes nothing. */
  previewLink(code: string): Promise<LinkPreview | undefined>;
  /** What an invitation is for; undefined for a code that no longer works. Changes nothing. */
  previewInvitation(code: string): Promise<InvitationPreview | undefined>;
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
  /** The effect of the operation that sets a password. */
  setPassword(change: PasswordChange): Promise<{ readonly isSet: true; readonly changedAt: number }>;
}

export interface SignInDependencies {
  readonly reader: Tx;
  readonly commands: CommandRunner<Commands>;
  readonly clock: Clock;
  readonly hashing: PasswordHashing;
  readonly instance: Instance;
}

/** The cookies of a sign-in: a new session, and the device's own value or a new one; and their hashes. */
function newCookies(device: string | null) {
  const session = createSecretCode();
  const kept = device === null ? createSecretCode() : { value: device, hash: hashCredential(device) };
  return {
    cookies: { session: session.value, device: kept.value },
    hashes: { sessionHash: session.hash, deviceHash: kept.hash },
  };
}

type Ways = Pick<SignIn, "withPassword" | "withPasskey" | "withRecoveryCode" | "prove">;

/** The ways of those who have an account and prove it. */
function createProofs(dependencies: SignInDependencies): Ways {
  const { commands, clock } = dependencies;
  return {
    async withPassword({ login, password }, client) {
      const attempt = await beginAttempt(dependencies, login, client);
      const verified = await verifyPassword(dependencies, attempt, password, client);
      const { cookies, hashes } = newCookies(client.device);
      await commands.signInWithPassword({ ...verified, ...hashes, origin: client.origin }, clock());
      return cookies;
    },

    async withPasskey(passkey, client) {
      const verified = await verifyPasskey(dependencies, passkey, client);
      const { cookies, hashes } = newCookies(client.device);
      await commands.signInWithPasskey({ ...verified, open: hashes }, clock());
      return cookies;
    },

    async withRecoveryCode({ login, code }, client) {
      const attempt = await beginAttempt(dependencies, login, client);
      const { found, subjects } = attempt;
      const { cookies, hashes } = newCookies(client.device);
      const use = { code, ...hashes, subjects, origin: client.origin };
      const isRight =
        found !== undefined && (await commands.signInWithRecoveryCode({ userId: found.userId, ...use }, clock()));
      if (isRight) return cookies;
      return await failAttempt(dependencies, attempt, client, "The name or the code is wrong, or the code was used");
    },

    async prove({ account, sessionId }, proof, client) {
      if ("passkey" in proof) {
        const verified = await verifyPasskey(dependencies, proof.passkey, client);
        if (verified.userId !== account.id) throw refusePasskey();
        await commands.signInWithPasskey({ ...verified, open: { sessionId } }, clock());
        return;
      }
      const attempt = await beginAttempt(dependencies, account.username, client);
      const { userId, subjects } = await verifyPassword(dependencies, attempt, proof.password, client);
      const proved = { userId, sessionId, method: "password" as const, subjects, origin: client.origin };
      await commands.proveSession(proved, clock());
    },
  };
}

type Links = Pick<SignIn, "withLink" | "withInvitation" | "previewLink" | "previewInvitation">;

/** The ways of those who come by a link. */
function createLinks(dependencies: SignInDependencies): Links {
  const { reader, commands, clock, instance } = dependencies;
  return {
    previewLink: (code) => previewLink(reader, code, clock()),
    previewInvitation: (code) => previewInvitation(reader, code, clock()),

    async withLink({ code, account, method }, { site, origin, device }) {
      if (account) {
        requireForm("email", account.email);
        requireName(account.name);
      }
      const preview = await previewLink(reader, code, clock());
      if (!preview) throw unknownLink();
      const made = method && (await makeMethod(dependencies, method, { ...preview, ...account }, site));
      const { cookies, hashes } = newCookies(device);
      const use = { code, ...(account && { account }), method: made, origin };
      await commands.useSignInLink({ ...use, ...hashes }, clock());
      return cookies;
    },

    async withInvitation({ code, username, name, method }, { site, origin, device }) {
      requireForm("username", username);
      requireName(name);
      const preview = await previewInvitation(reader, code, clock());
      if (!preview) throw new ApiError("link_unknown", "This invitation has expired, was used or was withdrawn");
      const person = { email: preview.email ?? "", username, name };
      const made = await makeMethod(dependencies, method, person, site);
      const { cookies, hashes } = newCookies(device);
      await commands.joinWithAccount({ code, username, name, method: made, ...hashes, origin, instance }, clock());
      return cookies;
    },
  };
}

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { commands, clock } = dependencies;
  return {
    ...createProofs(dependencies),
    ...createLinks(dependencies),
    supportsPasskeys,
    askPasskey: (about, site) => askPasskey(dependencies, about, site),

    async addPasskey(account, input, { site, origin }) {
      const method = await makeMethod(dependencies, input, account, site);
      await commands.addSignInMethod({ userId: account.id, method, sessionId: null, origin }, clock());
    },

    async setPassword({ account, sessionId, password, origin }) {
      const method = await makePassword(dependencies, password, account);
      const changedAt = clock();
      await commands.addSignInMethod({ userId: account.id, method, sessionId, origin }, changedAt);
      return { isSet: true, changedAt };
    },
  };
}
