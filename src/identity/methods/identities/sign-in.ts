// Signing in with an identity that a provider has proved: to the account that it is linked to, or to a new one where the provider makes
// accounts. An account that merely has the same address is never taken over: its owner signs in once with what they had, and links
// the identity then. Where nobody has confirmed that account's address, it may be a stranger's: anyone who comes can have a new one.
import { INSTANCE_ID } from "../../../platform/kernel/caller.ts";
import type { Origin } from "../../../platform/kernel/caller.ts";
import { ApiError } from "../../../platform/kernel/errors.ts";
import type { TeamRole } from "../../../platform/kernel/roles.ts";
import { domainOf } from "../../../platform/kernel/text/email-address.ts";
import { LostRaceError } from "../../../platform/kernel/tx.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit, lockOwner } from "../../../events/events/emit.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { recordProof, openSession } from "../../sessions/open.ts";
import { findCallerById } from "../../accounts/acting.ts";
import { createAccount } from "../../accounts/create.ts";
import { findEmailHolder } from "../../accounts/email.ts";
import { findFreeUsername } from "../../accounts/username.ts";
import { actAs } from "../account.ts";
import { rememberDevice } from "../devices.ts";
import { addIdentity, findIdentityOf, recordUse } from "./identities.ts";
import type { NewIdentity } from "./identities.ts";

/** What a provider's mappings give somebody. */
export interface MappedRoles {
  /** Null: no mapping is about the instance, or what it needs is unknown. */
  readonly isAdministrator: boolean | null;
  /** Each team that mappings name, once, by id or slug; without a role where none of them fits. */
  readonly teams: readonly {
    readonly team: string;
    readonly role: TeamRole | null;
    /** A claim is unknown: the role is the least that they have. */
    readonly isPartial?: boolean;
  }[];
}

/** What became of mapped roles, as the event shows it. */
export interface RoleChanges {
  readonly applied: readonly Readonly<Record<string, unknown>>[];
  readonly skipped: readonly { readonly what: string; readonly reason: string }[];
}

/** Gives and takes roles. `act` is by the account itself, whose lock the caller holds. */
export type ApplyRoles = (
  tx: Tx,
  act: EventContext,
  roles: MappedRoles,
  link: { readonly userId: string; readonly identityId: string; readonly providerName: string },
) => Promise<RoleChanges>;

export interface IdentitySignIn {
  readonly identity: NewIdentity;
  /** Whether the provider makes accounts, and for addresses of which domains (none: all); null: it makes none. */
  readonly signUp: { readonly domains: readonly string[] } | null;
  readonly roles: MappedRoles;
  /** An account that has the address without confirmation is somebody else's, the person says. */
  readonly isNewcomer: boolean;
  /** When the provider saw the person prove who they are, ms. */
  readonly provedAt: number;
  /** Hashes of the cookies that the browser gets. */
  readonly sessionHash: string;
  readonly deviceHash: string;
  readonly origin: Origin;
}

export type IdentityOutcome =
  | { readonly outcome: "signed-in"; readonly userId: string; readonly isNew: boolean }
  /** There is an account with the verified address; `isConfirmed`: nobody else can have it. */
  | { readonly outcome: "link-required"; readonly isConfirmed: boolean; readonly canSignUp: boolean }
  | { readonly outcome: "no-account"; readonly reason: "no-sign-up" | "address-unverified" | "other-domain" };

/** Why nobody gets an account by this sign-in; null: they do. */
function findObstacle({ identity, signUp }: IdentitySignIn) {
  const { email, isEmailVerified } = identity;
  if (signUp === null) return "no-sign-up";
  if (email === null || !isEmailVerified) return "address-unverified";
  return signUp.domains.length > 0 && !signUp.domains.includes(domainOf(email)) ? "other-domain" : null;
}

/** Makes an account for an identity whose address is verified and free. */
async function createAccountFor(tx: Tx, { identity, origin }: IdentitySignIn, email: string, now: number) {
  const { username: wish, name, provider } = identity;
  const username = await findFreeUsername(tx, wish === null ? [email] : [wish, email]);
  const account = { email, username, name, isAdmin: false, emailSource: "proven" } as const;
  const userId = await createAccount(tx, account, now).catch((error: unknown) => {
    // It was free a moment ago. Run again, the sign-in finds whose it is now, which may be the same person.
    if (error instanceof ApiError && error.code === "email_taken")
      throw new LostRaceError("the address was just taken");
    throw error;
  });
  const act = await actAs(tx, userId, origin, now);
  await emit(tx, act, {
    type: "user-created",
    ownerId: userId,
    entityId: userId,
    text: `created the account ${username} with ${provider.name}`,
    payload: { username, email, uid: userId },
    next: { username, email, name, isAdmin: false },
  });
  return { userId, act, identityId: await addIdentity(tx, act, userId, identity) };
}

/** The account that an identity is linked to, under its lock. */
async function findLinked(tx: Tx, { identity, roles, origin }: IdentitySignIn, now: number) {
  const seen = await findIdentityOf(tx, identity);
  if (!seen) return null;
  const before = await findCallerById(tx, seen.userId);
  // Taking administration away needs the instance's lock, which comes before those of accounts.
  if (roles.isAdministrator === false && before?.caller.account?.isAdmin) await lockOwner(tx, INSTANCE_ID);
  const act = await actAs(tx, seen.userId, origin, now);
  const linked = await findIdentityOf(tx, identity);
  if (linked?.userId !== seen.userId)
    throw new ApiError("sign_in_failed", "This connection was just removed: try again");
  await recordUse(tx, linked.id, identity, now);
  return { userId: linked.userId, act, identityId: linked.id };
}

function describeSkipped({ skipped }: RoleChanges): string {
  return skipped.length === 0
    ? ""
    : `; left as it is: ${skipped.map(({ what, reason }) => `${what} (${reason})`).join(", ")}`;
}

/** Decides and does all of it in one transaction. Refuses a suspended or deleted account. */
export async function signInWithIdentity(
  tx: Tx,
  applyRoles: ApplyRoles,
  input: IdentitySignIn,
  now: number,
): Promise<IdentityOutcome> {
  const { identity, roles, provedAt, sessionHash, deviceHash, isNewcomer } = input;
  const { provider, email, isEmailVerified, issuer, subject } = identity;
  // In this order: anyone who has the address by another sign-in at the same time is found to be linked, too.
  const holder = email !== null && isEmailVerified ? await findEmailHolder(tx, email) : undefined;
  const linked = await findLinked(tx, input, now);
  const obstacle = linked ? null : findObstacle(input);
  if (!linked && holder && (holder.isConfirmed || !isNewcomer)) {
    return { outcome: "link-required", isConfirmed: holder.isConfirmed, canSignUp: obstacle === null };
  }
  if (obstacle) return { outcome: "no-account", reason: obstacle };
  const { userId, act, identityId } = linked ?? (await createAccountFor(tx, input, email as string, now));
  const changes = await applyRoles(tx, act, roles, { userId, identityId, providerName: provider.name });
  await emit(tx, act, {
    type: "sso-login",
    ownerId: userId,
    entityId: identityId,
    text: `signed in with ${provider.name} as ${email ?? subject}${describeSkipped(changes)}`,
    payload: { uid: userId, identityId, provider: provider.id, issuer, subject, ...changes },
  });
  await openSession(tx, act, { userId, hash: sessionHash, method: "provider", provedAt });
  await rememberDevice(tx, userId, deviceHash, now);
  return { outcome: "signed-in", userId, isNew: !linked };
}

export interface IdentityProof {
  readonly userId: string;
  readonly sessionId: string;
  readonly identity: NewIdentity;
  readonly origin: Origin;
}

/** Internal change: a fresh proof in a session, by an identity that is linked to its account. */
export async function proveWithIdentity(
  tx: Tx,
  { userId, sessionId, identity, origin }: IdentityProof,
  now: number,
): Promise<void> {
  const act = await actAs(tx, userId, origin, now);
  const linked = await findIdentityOf(tx, identity);
  if (linked?.userId !== userId) {
    throw new ApiError(
      "sign_in_failed",
      `This account at ${identity.provider.name} does not sign in to your account here`,
    );
  }
  await recordUse(tx, linked.id, identity, now);
  await recordProof(tx, act, { userId, sessionId, method: "provider" });
}
