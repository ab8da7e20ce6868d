// Signing in: from what a person shows to a session. Passwords are verified outside of transactions, in a bounded queue.
import type { Account, Origin } from "../kernel/caller.ts";
import { createSecretCode, hashCredential } from "../kernel/credential.ts";
import type { Instance } from "../kernel/contract.ts";
import { ApiError, fieldError } from "../kernel/errors.ts";
import type { CommandRunner } from "../kernel/internal-commands.ts";
import type { Clock } from "../kernel/scheduling/clock.ts";
import type { Tx } from "../kernel/tx.ts";
import type { Commands } from "../internal-commands.ts";
import { previewInvitation } from "../resources/members/joining/join-with-account.ts";
import type { InvitationPreview } from "../resources/members/joining/join-with-account.ts";
import { isKnownDevice } from "../resources/sign-in/devices.ts";
import { requireForm, requireName } from "../resources/users/rules.ts";
import { failureSubjects, findPause } from "../resources/sign-in/failures.ts";
import { previewLink } from "../resources/sign-in/links.ts";
import type { LinkPreview } from "../resources/sign-in/links.ts";
import type { NewMethod } from "../resources/sign-in/methods.ts";
import { findForSignIn } from "../resources/sign-in/password-sign-in.ts";
import type { FoundPassword } from "../resources/sign-in/password-sign-in.ts";
import type { PasswordHashing } from "./password-hashing.ts";
import { findWeakness } from "./password-strength.ts";

/** Where a sign-in comes from. */
export interface SignInClient {
  readonly origin: Origin;
  /** The value of the device cookie; null: this browser has none. */
  readonly device: string | null;
}

/** The cookies of a browser that has signed in. */
export interface SignedIn {
  readonly session: string;
  readonly device: string;
}

/** A form that makes a method: for now a password. */
export interface MethodInput {
  readonly password: string;
}

export interface SetUpInput {
  readonly code: string;
  readonly account?: { readonly name: string | null; readonly email: string };
  /** Null: sign in, and change no method. */
  readonly method: MethodInput | null;
}

export interface SignIn {
  /** Throws `sign_in_failed` (the same for accounts that do not exist), `too_many_sign_ins` or `overloaded`. */
  withPassword(input: { readonly login: string; readonly password: string }, client: SignInClient): Promise<SignedIn>;
  /** What a link is for; undefined for one that no longer works. Changes nothing. */
  previewLink(code: string): Promise<LinkPreview | undefined>;
  withLink(input: SetUpInput, client: SignInClient): Promise<SignedIn>;
  /** What an invitation is for; undefined for a code that no longer works. Changes nothing. */
  previewInvitation(code: string): Promise<InvitationPreview | undefined>;
  /** Makes the account of an invited address and joins the team. */
  withInvitation(
    input: {
      readonly code: string;
      readonly username: string;
      readonly name: string | null;
      readonly method: MethodInput;
    },
    client: SignInClient,
  ): Promise<SignedIn>;
  /** Proves again who the person of a session is. */
  prove(
    proof: { readonly account: Account; readonly sessionId: string; readonly password: string },
    client: SignInClient,
  ): Promise<void>;
}

export interface SignInDependencies {
  readonly reader: Tx;
  readonly commands: CommandRunner<Commands>;
  readonly clock: Clock;
  readonly hashing: PasswordHashing;
  readonly instance: Instance;
}

function failed(): ApiError {
  return new ApiError("sign_in_failed", "The name or the password is wrong");
}

function refusePause(pauseMs: number): void {
  if (pauseMs === 0) return;
  const seconds = Math.ceil(pauseMs / 1000);
  throw new ApiError("too_many_sign_ins", `Too many attempts: try again in ${seconds} s`, { retryAfterMs: pauseMs });
}

/** The cookies of a sign-in: a new session, and the device's own value or a new one. */
function newCookies(device: string | null) {
  const session = createSecretCode();
  const kept = device === null ? createSecretCode() : { value: device, hash: hashCredential(device) };
  return { cookies: { session: session.value, device: kept.value }, sessionHash: session.hash, deviceHash: kept.hash };
}

export function createSignIn({ reader, commands, clock, hashing, instance }: SignInDependencies): SignIn {
  /** Verifies a password and counts what goes wrong, the same way for accounts that do not exist. */
  async function verify(
    { login, found }: { readonly login: string; readonly found: FoundPassword | undefined },
    password: string,
    { origin, device }: SignInClient,
  ) {
    const deviceHash = device === null ? null : hashCredential(device);
    const isKnown =
      found !== undefined && deviceHash !== null && (await isKnownDevice(reader, found.userId, deviceHash));
    const subjects = failureSubjects({ login, ip: origin.ip, knownDeviceHash: isKnown ? deviceHash : null });
    refusePause(await findPause(reader, subjects, clock()));
    const stored = found?.passwordHash ?? null;
    const { isValid, needsRehash } = await hashing.verify(stored, password, { isKnownDevice: isKnown });
    if (!found || stored === null || !isValid) {
      await commands.recordSignInFailure({ userId: found?.userId ?? null, subjects, origin }, clock());
      throw failed();
    }
    const renewal = needsRehash ? { from: stored, hash: await hashing.hash(password) } : null;
    return { userId: found.userId, subjects, renewal };
  }

  async function makeMethod(
    { password }: MethodInput,
    about: { readonly email: string; readonly username: string; readonly name: string | null },
  ): Promise<NewMethod> {
    const problem = await findWeakness(password, about);
    if (problem !== null) throw fieldError("weak_password", "body.password", problem);
    return { kind: "password", hash: await hashing.hash(password) };
  }

  return {
    async withPassword({ login, password }, client) {
      const found = await findForSignIn(reader, login);
      const verified = await verify({ login, found }, password, client);
      const { cookies, ...hashes } = newCookies(client.device);
      await commands.signInWithPassword({ ...verified, ...hashes, origin: client.origin }, clock());
      return cookies;
    },

    previewLink: (code) => previewLink(reader, code, clock()),

    async withLink({ code, account, method }, client) {
      const preview = await previewLink(reader, code, clock());
      if (!preview)
        throw new ApiError("link_unknown", "This link has expired, was used, or was replaced by a newer one");
      if (account) {
        requireForm("email", account.email);
        requireName(account.name);
      }
      const made = method === null ? null : await makeMethod(method, { ...preview, ...account });
      const { cookies, ...hashes } = newCookies(client.device);
      const use = { code, ...(account && { account }), method: made, origin: client.origin };
      await commands.useSignInLink({ ...use, ...hashes }, clock());
      return cookies;
    },

    previewInvitation: (code) => previewInvitation(reader, code, clock()),

    async withInvitation({ code, username, name, method }, client) {
      requireForm("username", username);
      requireName(name);
      const preview = await previewInvitation(reader, code, clock());
      if (!preview) throw new ApiError("link_unknown", "This invitation has expired, was used or was withdrawn");
      const made = await makeMethod(method, { email: preview.email ?? "", username, name });
      const { cookies, ...hashes } = newCookies(client.device);
      const { origin } = client;
      await commands.joinWithAccount({ code, username, name, method: made, ...hashes, origin, instance }, clock());
      return cookies;
    },

    async prove({ account, sessionId, password }, client) {
      const found = await findForSignIn(reader, account.username);
      const { userId, subjects } = await verify({ login: account.username, found }, password, client);
      const proof = { userId, sessionId, method: "password" as const, subjects, origin: client.origin };
      await commands.proveSession(proof, clock());
    },
  };
}
