// Converts rows of the store to the team objects of responses.
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Call } from "../../platform/kernel/contract.ts";
import { hasFreshProof, isBounded } from "../../platform/kernel/giving.ts";
import { parseStored } from "../../platform/kernel/text/stored-json.ts";
import { ROLE_MASK, permissionBit } from "../../platform/kernel/roles.ts";
import type { PermissionMask, TeamRole } from "../../platform/kernel/roles.ts";
import { readSettings } from "./settings.ts";
import type { TeamRow } from "./store.ts";
import type { Membership, Team } from "./team-schema.ts";

// Clients hide features that a plan does not include; Reeve has no plans.
const BILLING = { plan: "enterprise" } as const;

const MAY_INVITE = permissionBit("invite:manage");

function membershipOf(row: TeamRow, userId: string): Membership | undefined {
  if (row.state !== "member") return undefined;
  const role = row.role as TeamRole;
  const createdAt = row.memberSince as number;
  return {
    role,
    confirmed: true,
    confirmedAt: row.confirmedAt ?? createdAt,
    created: createdAt,
    createdAt,
    ...(row.accessRequestedAt === null ? {} : { accessRequestedAt: row.accessRequestedAt }),
    uid: userId,
    teamId: row.id,
    teamRoles: [role],
    teamPermissions: parseStored(row.teamPermissions as string) as NonNullable<Membership["teamPermissions"]>,
    joinedFrom: parseStored(row.joinedFrom as string) as NonNullable<Membership["joinedFrom"]>,
  };
}

/** The fields that every credential with access to the team sees. */
function outlineOf(row: TeamRow, caller: Caller) {
  const { id, slug, name, avatar, createdAt } = row;
  const membership = caller.account ? membershipOf(row, caller.account.id) : undefined;
  return { id, slug, name, avatar, createdAt, ...(membership ? { membership } : {}) };
}

/** A team for a credential that is limited to another one. */
export function limitedTeam(row: TeamRow, caller: Caller): Team {
  return { ...outlineOf(row, caller), limited: true, limitedBy: ["scope"] };
}

/** The caller, and the time, which is read only where it matters: a response that depends on it is not cacheable. */
type Reader = Pick<Call, "caller" | "now">;

/**
 * Whether the join link is shown: to members who may invite to its role, with a credential without an end and networks of its own. A
 * session needs a fresh proof, as it does to make a link. Administrators and the team's keys do not see it, because nothing renews the
 * link when they lose their permission.
 */
function isLinkShown({ state, role, settings }: TeamRow, reader: Reader, permissions: PermissionMask): boolean {
  const { caller } = reader;
  if (state !== "member" || isBounded(caller)) return false;
  const mayDo = ROLE_MASK[role as TeamRole] & permissions;
  const needed = MAY_INVITE | ROLE_MASK[readSettings(settings).inviteCodeRole];
  return (needed & ~mayDo) === 0 && (caller.provedAt === null || hasFreshProof(caller, reader.now));
}

/** A whole team. */
export function fullTeam(row: TeamRow, reader: Reader, permissions: PermissionMask): Team {
  return {
    ...outlineOf(row, reader.caller),
    description: row.description,
    billing: BILLING,
    updatedAt: row.updatedAt,
    creatorId: row.creatorId,
    stagingPrefix: row.slug,
    ...(isLinkShown(row, reader, permissions) ? { inviteCode: row.inviteCode } : {}),
    ...readSettings(row.settings),
  };
}
