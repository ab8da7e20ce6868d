// Identities in the store: which accounts of OpenID Connect providers sign in to which account here. The key is issuer and subject:
// addresses change their owners.
import { ApiError } from "../../../platform/kernel/errors.ts";
import { newId } from "../../../platform/kernel/ids.ts";
import { positionAt } from "../../../platform/kernel/pagination.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import type { EventContext } from "../../../events/events/emit.ts";
import { confirmEmailOf } from "../../accounts/change.ts";
import { findIdentityBySubject, insertIdentity, listFirstIdentities, recordIdentityUse } from "./store.ts";

/** An account at a provider. */
export interface ProviderIdentity {
  readonly issuer: string;
  /** Unique at the issuer, and never given to somebody else. */
  readonly subject: string;
  readonly email: string | null;
  /** The provider says that the address is its owner's. */
  readonly isEmailVerified: boolean;
  readonly name: string | null;
  /** The name that they have at the provider. */
  readonly username: string | null;
}

/** An identity that a provider of the configuration has proved. */
export interface NewIdentity extends ProviderIdentity {
  readonly kind: "provider";
  /** The provider's id and its name for people. */
  readonly provider: { readonly id: string; readonly name: string };
}

export const MAX_IDENTITIES = 25;

export async function findIdentityOf(tx: Tx, { issuer, subject }: Pick<ProviderIdentity, "issuer" | "subject">) {
  return await findIdentityBySubject(tx, { issuer, subject });
}

/** Notes that an identity signed in. */
export async function recordUse(tx: Tx, id: string, { provider, email }: NewIdentity, now: number): Promise<void> {
  await recordIdentityUse(tx, { id, provider: provider.id, email, now });
}

/**
 * Links an identity to an account whose lock the caller holds, and returns the id of the link. An identity that is linked to the account
 * already stays as it is; one of another account is refused.
 */
export async function addIdentity(tx: Tx, act: EventContext, userId: string, identity: NewIdentity): Promise<string> {
  const { provider, issuer, subject, email, isEmailVerified } = identity;
  const known = await findIdentityOf(tx, identity);
  if (known?.userId === userId) return known.id;
  if (known) {
    throw new ApiError(
      "identity_taken",
      `This account at ${provider.name} signs in to another account here: disconnect it there first`,
    );
  }
  if ((await listFirstIdentities(tx, { userId, limit: MAX_IDENTITIES })).length >= MAX_IDENTITIES) {
    throw new ApiError("too_many_identities", `An account has at most ${MAX_IDENTITIES} connections: remove one first`);
  }
  const id = newId("identity");
  await insertIdentity(tx, {
    id,
    userId,
    provider: provider.id,
    issuer,
    subject,
    email,
    now: act.now,
    position: positionAt(act.now),
  });
  await emit(tx, act, {
    type: "login-connection-linked",
    ownerId: userId,
    entityId: id,
    text: `connected ${email ?? subject} at ${provider.name}`,
    payload: { uid: userId, identityId: id, provider: provider.id, issuer, subject, email },
  });
  if (email !== null && isEmailVerified) await confirmEmailOf(tx, act, userId, email);
  return id;
}
