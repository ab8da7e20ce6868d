// From a provider to a session, to a link with the account that is signed in, or to a fresh proof.
import type { Account } from "../../platform/kernel/caller.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import type { Invitations } from "../methods/invitations.ts";
import type { SignInChanges } from "../methods/internal-changes.ts";
import type { NewIdentity } from "../methods/identities/identities.ts";
import type { IdentityOutcome } from "../methods/identities/sign-in.ts";
import { STEP_MS, findKeptIdentity } from "../methods/identities/provider-steps.ts";
import { findFreeUsername } from "../accounts/username.ts";
import { newCookies } from "../sign-in/new-cookies.ts";
import type { SignInClient, SignedIn } from "../sign-in/sign-in-methods.ts";
import { unknownStep } from "./provider-failure.ts";
import type { ProviderStep, Providers } from "./providers.ts";
import { mapRoles } from "./role-mapping.ts";

/** The session of the visitor on the page. */
export interface OpenSession {
  readonly account: Account;
  readonly sessionId: string;
}

/** What somebody goes to a provider for. */
export type ProviderPurpose =
  | { readonly kind: "sign-in"; readonly isNewcomer: boolean }
  /** To accept an invitation, with a new account if they have none. */
  | { readonly kind: "invitation"; readonly code: string; readonly isNewcomer: boolean }
  /** To connect the account there with the one here; its owner has proved lately who they are. */
  | { readonly kind: "link"; readonly session: OpenSession }
  | { readonly kind: "proof"; readonly session: OpenSession };

export type ProviderResult =
  | { readonly kind: "signed-in"; readonly cookies: SignedIn; readonly returnTo: string }
  | { readonly kind: "linked" | "proved"; readonly returnTo: string }
  /** An account has the address: under the code, the identity waits for its owner to sign in. */
  | {
      readonly kind: "link-required";
      readonly code: string;
      readonly email: string | null;
      readonly returnTo: string;
      /** How the person says that the account is not theirs, and gets a new one; null: the address is confirmed, or nothing makes one. */
      readonly newcomer: { readonly kind: "sign-in" } | { readonly kind: "invitation"; readonly code: string } | null;
    }
  | { readonly kind: "no-account"; readonly reason: NoAccount["reason"]; readonly email: string | null };
type NoAccount = Extract<IdentityOutcome, { readonly outcome: "no-account" }>;

export interface ProviderSignIn {
  /** In the order of the configuration. */
  readonly list: readonly { readonly id: string; readonly name: string }[];
  /** Throws `not_found`. */
  get(providerId: string): { readonly id: string; readonly name: string };
  /** How long a step may take, ms: the life of the cookie that holds its code. */
  readonly stepMs: number;
  /** Where to send the browser, and the code that it must bring back. Throws `not_found` or `provider_unavailable`. */
  begin(
    providerId: string,
    purpose: ProviderPurpose,
    returnTo: string,
  ): Promise<{ readonly url: string; readonly code: string }>;
  /**
   * `code` is that of the browser's cookie, and `query` that of the redirect back. Throws `provider_refused`, `provider_unavailable`,
   * `sign_in_failed` for a suspended account, and what keeps an invitation or a link from being made.
   */
  finish(
    providerId: string,
    back: { readonly code: string | null; readonly query: string; readonly session: OpenSession | null },
    client: SignInClient,
  ): Promise<ProviderResult>;
  /** The identity that waits under a code; undefined: none does. */
  findWaiting(code: string): Promise<{ readonly providerName: string; readonly email: string | null } | undefined>;
  /** Links the identity that waits under a code. Throws `link_unknown` and `identity_taken`. */
  linkWaiting(code: string, account: Account, client: SignInClient): Promise<void>;
}

export interface ProviderSignInDependencies {
  readonly providers: Providers;
  readonly reader: Tx;
  readonly changes: SignInChanges;
  readonly invitations: Invitations;
  readonly clock: Clock;
  readonly instance: Instance;
}

/** How long ago a provider may have seen a person for a fresh proof, s. Older proofs are made anew there. */
const PROOF_AGE_S = 60;

/** What is stored of a way to a provider, beside whose it is. */
interface StoredStep {
  readonly oidc: ProviderStep;
  readonly kind: ProviderPurpose["kind"];
  readonly invitationCode: string | null;
  /** Absent in steps that an earlier version stored. */
  readonly isNewcomer?: boolean;
}

type Proven = Awaited<ReturnType<Providers["finish"]>>;

/** What came of a way there and back. */
interface Back {
  readonly stored: StoredStep;
  readonly identity: NewIdentity;
  readonly proven: Proven;
}

/** Makes an account for anyone who brings an invitation and an identity that no account has. */
async function acceptInvitation(
  { reader, invitations, instance }: ProviderSignInDependencies,
  { identity }: Back,
  code: string,
  { origin, device }: SignInClient,
): Promise<SignedIn> {
  const wishes = [identity.username, identity.email].filter((wish) => wish !== null);
  const username = await findFreeUsername(reader, wishes);
  const { cookies, hashes } = newCookies(device);
  const { name } = identity;
  await invitations.join({ code, username, name, method: identity, ...hashes, origin, instance });
  return cookies;
}

/** How somebody comes to an account whose address another one has without confirmation. */
function newcomerOf(
  { isConfirmed, canSignUp }: Extract<IdentityOutcome, { readonly outcome: "link-required" }>,
  { invitationCode }: StoredStep,
) {
  if (isConfirmed) return null;
  if (invitationCode !== null) return { kind: "invitation" as const, code: invitationCode };
  return canSignUp ? { kind: "sign-in" as const } : null;
}

async function signIn(
  dependencies: ProviderSignInDependencies,
  back: Back,
  client: SignInClient,
): Promise<ProviderResult> {
  const { providers, changes, clock } = dependencies;
  const { stored, identity, proven } = back;
  const { returnTo } = stored.oidc;
  const { signUp, domains, roles, missingClaims } = providers.get(identity.provider.id);
  const { cookies, hashes } = newCookies(client.device);
  const now = clock();
  const result = await changes.signInWithIdentity(
    {
      identity,
      signUp: signUp ? { domains } : null,
      roles: mapRoles(roles, proven.claims, missingClaims),
      isNewcomer: stored.isNewcomer ?? false,
      provedAt: now - proven.ageMs,
      ...hashes,
      origin: client.origin,
    },
    now,
  );
  if (result.outcome === "signed-in") return { kind: "signed-in", cookies, returnTo };
  const { email } = identity;
  if (result.outcome === "link-required") {
    const code = await changes.keepIdentity({ identity }, clock());
    return { kind: "link-required", code, email, returnTo, newcomer: newcomerOf(result, stored) };
  }
  if (stored.invitationCode === null) return { kind: "no-account", reason: result.reason, email };
  const joined = await acceptInvitation(dependencies, back, stored.invitationCode, client);
  return { kind: "signed-in", cookies: joined, returnTo: "./" };
}

/** Refuses a way back into another session than the one that began it. */
function requireSession(session: OpenSession | null, userId: string | null): OpenSession | null {
  return session !== null && session.account.id === userId ? session : null;
}

export function createProviderSignIn(dependencies: ProviderSignInDependencies): ProviderSignIn {
  const { providers, reader, changes, clock } = dependencies;

  async function finishInSession(
    { stored, identity }: Back,
    { account, sessionId }: OpenSession,
    client: SignInClient,
  ) {
    const { id: userId } = account;
    const { origin } = client;
    if (stored.kind === "link") {
      await changes.addSignInMethod({ userId, method: identity, sessionId: null, origin }, clock());
      return { kind: "linked" as const, returnTo: stored.oidc.returnTo };
    }
    await changes.proveWithIdentity({ userId, sessionId, identity, origin }, clock());
    return { kind: "proved" as const, returnTo: stored.oidc.returnTo };
  }

  return {
    get list() {
      return providers.list.map(({ id, name }) => ({ id, name }));
    },
    get: (id) => providers.get(id),
    stepMs: STEP_MS,

    async begin(providerId, purpose, returnTo) {
      const age = purpose.kind === "proof" ? { maxAgeS: PROOF_AGE_S } : {};
      const { url, step: oidc } = await providers.begin(providerId, { returnTo, ...age });
      const invitationCode = purpose.kind === "invitation" ? purpose.code : null;
      const isNewcomer = "isNewcomer" in purpose && purpose.isNewcomer;
      const step: StoredStep = { oidc, kind: purpose.kind, invitationCode, isNewcomer };
      const userId = "session" in purpose ? purpose.session.account.id : null;
      return { url, code: await changes.beginProviderStep({ userId, step }, clock()) };
    },

    async finish(providerId, { code, query, session }, client) {
      const provider = providers.get(providerId);
      // Used before the provider is asked: of two requests with one response, one finds nothing.
      const taken = code === null ? null : await changes.takeProviderStep({ code }, clock());
      if (!taken) throw unknownStep(provider);
      const stored = taken.step as StoredStep;
      const proven = await providers.finish(providerId, stored.oidc, query);
      const { claims: _claims, ageMs: _ageMs, ...known } = proven;
      const { id, name } = provider;
      const back: Back = { stored, proven, identity: { kind: "provider", provider: { id, name }, ...known } };
      if (stored.kind === "sign-in" || stored.kind === "invitation") return await signIn(dependencies, back, client);
      const own = requireSession(session, taken.userId);
      if (!own) throw unknownStep(provider);
      return await finishInSession(back, own, client);
    },

    async findWaiting(code) {
      const found = await findKeptIdentity(reader, code, clock());
      return found && { providerName: found.provider.name, email: found.email };
    },

    async linkWaiting(code, { id: userId }, { origin }) {
      await changes.linkKeptIdentity({ code, userId, origin }, clock());
    },
  };
}
