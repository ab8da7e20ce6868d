// Signing in: from what a person shows to a session. Each way has its own file; all end in an internal change that opens the session.
import { ApiError } from "../../platform/kernel/errors.ts";
import { requireEmail } from "../../platform/kernel/text/email-address.ts";
import { previewEmailChange } from "../methods/email/change.ts";
import { previewLink, unknownLink } from "../methods/codes/links.ts";
import { previewSignUp } from "../methods/sign-up.ts";
import { requireName, requireUsername } from "../accounts/rules.ts";
import { createRequestedMail } from "./requested-mail.ts";
import { createAttempts } from "./attempts.ts";
import { newCookies } from "./new-cookies.ts";
import { makeMethod, makePassword } from "./new-methods.ts";
import { askPasskey, verifyPasskey } from "./passkey-proof.ts";
import { createPasskeyEffects } from "./passkey-effects.ts";
import { refusePasskey, supportsPasskeys } from "./passkeys.ts";
import { requirePasswords } from "./passwords-off.ts";
import { requireAllowedAddress } from "./sign-up-rule.ts";
import type { SignIn, SignInDependencies, SignInClient } from "./sign-in-methods.ts";
import type { Attempt } from "./attempts.ts";

/** Verifies the password of an attempt; an account that does not exist takes as long, and is refused in the same words. */
async function verifyPassword(
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

type Ways = Pick<SignIn, "withPassword" | "withPasskey" | "withRecoveryCode" | "prove">;

/** The ways of those who have an account and prove it. */
function createProofs(dependencies: SignInDependencies): Ways {
  const { changes, clock, instance } = dependencies;
  const runAttempt = createAttempts(dependencies);
  return {
    async withPassword({ login, password }, client) {
      requirePasswords(instance);
      return await runAttempt("account", login, client, async (attempt) => {
        const verified = await verifyPassword(dependencies, attempt, password, client);
        const { cookies, hashes } = newCookies(client.device);
        await changes.signInWithPassword({ ...verified, ...hashes, origin: client.origin }, clock());
        return cookies;
      });
    },

    async withPasskey(passkey, client) {
      const verified = await verifyPasskey(dependencies, passkey, client);
      const { cookies, hashes } = newCookies(client.device);
      await changes.signInWithPasskey({ ...verified, open: hashes }, clock());
      return cookies;
    },

    withRecoveryCode: ({ login, code }, client) =>
      runAttempt("codes", login, client, async ({ found, subjects }) => {
        const { cookies, hashes } = newCookies(client.device);
        const use = { userId: found?.userId ?? null, code, ...hashes, subjects, origin: client.origin };
        if (await changes.signInWithRecoveryCode(use, clock())) return cookies;
        throw new ApiError("sign_in_failed", "The name or the code is wrong, or the code was used");
      }),

    async prove({ account, sessionId }, proof, client) {
      if ("passkey" in proof) {
        const verified = await verifyPasskey(dependencies, proof.passkey, client);
        if (verified.userId !== account.id) throw refusePasskey();
        await changes.signInWithPasskey({ ...verified, open: { sessionId } }, clock());
        return;
      }
      requirePasswords(instance);
      await runAttempt("again", account.username, client, async (attempt) => {
        const { userId, subjects } = await verifyPassword(dependencies, attempt, proof.password, client);
        const proved = { userId, sessionId, method: "password" as const, subjects, origin: client.origin };
        await changes.proveSession(proved, clock());
      });
    },
  };
}

type Links = Pick<
  SignIn,
  | "withLink"
  | "withInvitation"
  | "withSignUp"
  | "previewLink"
  | "previewInvitation"
  | "previewOwnInvitation"
  | "previewSignUp"
>;

/** The ways of those who come by a link. */
function createLinks(dependencies: SignInDependencies): Links {
  const { reader, changes, invitations, clock, instance } = dependencies;
  return {
    previewLink: (code) => previewLink(reader, code, clock()),
    previewInvitation: invitations.preview,
    previewOwnInvitation: invitations.previewOwn,
    previewSignUp: (code) => previewSignUp(reader, code, clock()),

    async withLink({ code, account, method }, { site, origin, device }) {
      const filledIn = account && { name: account.name, email: requireEmail(account.email) };
      if (account) requireName(account.name);
      const preview = await previewLink(reader, code, clock());
      // Without the form of a set-up its account would have no way to sign in again.
      if (!preview || (preview.purpose === "set-up" && !account)) throw unknownLink();
      const made = method && (await makeMethod(dependencies, method, { ...preview, ...filledIn }, site));
      const { cookies, hashes } = newCookies(device);
      const use = { code, ...(filledIn && { account: filledIn }), method: made, origin };
      await changes.useSignInLink({ ...use, ...hashes }, clock());
      return cookies;
    },

    async withInvitation({ code, username, name, method }, { site, origin, device }) {
      requireUsername(username);
      requireName(name);
      const preview = await invitations.preview(code);
      if (!preview) throw new ApiError("link_unknown", "This invitation has expired, was used or was withdrawn");
      const person = { email: preview.email ?? "", username, name };
      const made = await makeMethod(dependencies, method, person, site);
      const { cookies, hashes } = newCookies(device);
      await invitations.join({ code, username, name, method: made, ...hashes, origin, instance });
      return cookies;
    },

    async withSignUp({ code, username, name, method }, { site, origin, device }) {
      requireUsername(username);
      requireName(name);
      const email = await previewSignUp(reader, code, clock());
      if (email === undefined) throw unknownLink();
      // The operator may have changed the rule since the link was mailed.
      requireAllowedAddress(dependencies.signUp, email);
      const made = await makeMethod(dependencies, method, { email, username, name }, site);
      const { cookies, hashes } = newCookies(device);
      await changes.signUp({ code, username, name, method: made, ...hashes, origin }, clock());
      return cookies;
    },
  };
}

export function createSignIn(dependencies: SignInDependencies): SignIn {
  const { reader, changes, clock, instance } = dependencies;
  return {
    policy: { hasPasswords: instance.hasPasswords, hasMail: instance.hasMail, signUp: dependencies.signUp },
    ...createProofs(dependencies),
    ...createLinks(dependencies),
    ...createRequestedMail(dependencies),
    previewEmailChange: (code) => previewEmailChange(reader, code, clock()),
    confirmEmail: (code, { origin }) => changes.confirmEmail({ code, origin }, clock()),
    supportsPasskeys,
    askPasskey: (about, site) => askPasskey(dependencies, about, site),

    async addPasskey(account, input, { site, origin }) {
      const method = await makeMethod(dependencies, input, account, site);
      await changes.addSignInMethod({ userId: account.id, method, sessionId: null, origin }, clock());
    },

    ...createPasskeyEffects(dependencies),

    async setPassword({ account, sessionId, password, origin }) {
      const method = await makePassword(dependencies, password, account);
      const changedAt = clock();
      await changes.addSignInMethod({ userId: account.id, method, sessionId, origin }, changedAt);
      return { isSet: true, changedAt };
    },
  };
}
