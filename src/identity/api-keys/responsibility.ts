// The person who is responsible for a team's API key. A key acts for its team and not for a person, so it would outlive the
// permissions of its creator. When the responsible person may no longer do what the key may, the key is suspended until somebody
// else adopts it.
import { findResponsibleUserId } from "../../platform/kernel/caller.ts";
import type { Caller } from "../../platform/kernel/caller.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import {
  ALL_PERMISSIONS,
  NO_PERMISSIONS,
  PERMISSIONS,
  ROLE_MASK,
  TEAM_ROLES,
  permissionBit,
} from "../../platform/kernel/roles.ts";
import type { PermissionMask, TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { EventContext } from "../../events/events/emit.ts";
import { maskOfKey, nameBounds } from "./key-permissions.ts";
import type { KeyBounds } from "./key-permissions.ts";
import type { Excess } from "./store.ts";
import {
  endPreviousValues,
  findResponsible,
  findResponsibleAccount,
  listKeysOf,
  listTeamsOfKeysOf,
  suspendKeysOf,
} from "./store.ts";

/** An event names at most this many keys, and the number of all. */
const MOST_NAMED = 100;

export interface Person {
  readonly userId: string;
  readonly username: string;
}

/** None for an account that is suspended or deleted. */
function permissionsWith(
  account: { readonly isAdmin: number; readonly suspendedAt: number | null } | undefined,
  role: TeamRole | null,
): PermissionMask {
  if (!account || account.suspendedAt !== null) return NO_PERMISSIONS;
  if (account.isAdmin === 1) return ALL_PERMISSIONS;
  return role === null ? NO_PERMISSIONS : ROLE_MASK[role];
}

/** The present permissions of a person in a team. */
export async function permissionsOf(tx: Tx, teamId: string, userId: string): Promise<PermissionMask> {
  const person = await findResponsible(tx, { teamId, userId });
  return permissionsWith(person, person?.state === "member" ? (person.role as TeamRole) : null);
}

/** The same where the role is known, because the transaction has stored it. What is read does not depend on that change. */
export async function permissionsByRole(tx: Tx, userId: string, role: TeamRole | null): Promise<PermissionMask> {
  return permissionsWith(await findResponsibleAccount(tx, { userId }), role);
}

const exceeds = (mask: PermissionMask, permissions: PermissionMask) => (mask & ~permissions) !== 0;

/** Selects the keys that may do more than these permissions. */
export function excessOf(permissions: PermissionMask): Excess {
  return {
    roles: JSON.stringify(TEAM_ROLES.filter((role) => exceeds(ROLE_MASK[role], permissions))),
    missing: JSON.stringify(PERMISSIONS.filter((permission) => exceeds(permissionBit(permission), permissions))),
  };
}

/**
 * The person who will be responsible for a key of the team that the caller creates, rotates or adopts. Locks their account until
 * the transaction ends, so that a concurrent loss of permissions suspends the key too.
 */
export async function requireResponsible(tx: Tx, caller: Caller, teamId: string, bounds: KeyBounds): Promise<string> {
  const userId = findResponsibleUserId(caller);
  if (userId === null) {
    const reason =
      caller.kind === "system"
        ? "a user has to answer for what works with a team's permissions, and Reeve itself is none: name a user"
        : "nobody answers for this API key any more; an OWNER of the team has to adopt it before it makes others";
    throw new ApiError("forbidden", `Not authorized: ${reason}`);
  }
  if (exceeds(maskOfKey(bounds), await permissionsOf(tx, teamId, userId))) {
    throw new ApiError(
      "role_exceeds_creator",
      `Not authorized: the user who answers for this API key may do less than ${nameBounds(bounds)}`,
      { role: bounds.role },
    );
  }
  return userId;
}

/** Ends what a person may know of keys that may do more than they, and lists those that they are responsible for. */
export async function endExcess(tx: Tx, teamId: string, { userId }: Person, excess: Excess) {
  // They may know a value that somebody else replaced, because the store does not record to whom it was shown.
  await endPreviousValues(tx, { teamId, ...excess });
  return await listKeysOf(tx, { teamId, userId, ...excess, limit: MOST_NAMED });
}

/** Suspends the keys of a team that may do more than the person responsible for them. The caller holds the team's lock. */
export async function suspendKeys(
  tx: Tx,
  act: EventContext,
  teamId: string,
  { userId, username }: Person,
  { excess, keys }: { readonly excess: Excess; readonly keys: Awaited<ReturnType<typeof endExcess>> },
): Promise<void> {
  if (keys.length === 0) return;
  const count = await suspendKeysOf(tx, { teamId, userId, ...excess, now: act.now });
  await emit(tx, act, {
    type: "api-keys-suspended",
    ownerId: teamId,
    entityId: userId,
    text: `suspended ${count} API ${count === 1 ? "key" : "keys"} of ${username}, who may no longer do what they may`,
    payload: {
      teamId,
      uid: userId,
      username,
      count,
      keys: keys.map(({ id, name, role }) => ({ tokenId: id, tokenName: name, role })),
    },
  });
}

/** Teams with keys that a person is responsible for or may know a replaced value of. */
export async function listTeamsWithKeysOf(tx: Tx, userId: string): Promise<string[]> {
  return (await listTeamsOfKeysOf(tx, { userId })).map(({ teamId }) => teamId);
}
