// Rows of invites as domain values.
import type { ProjectGrant, TeamPermission } from "../../platform/kernel/membership.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Issuer } from "./rules.ts";

export interface Invite {
  readonly id: string;
  readonly teamId: string;
  /** An invitation of a person, by address or account id, or a code that is passed on. */
  readonly kind: "email" | "code";
  /** The only address that may use it; for a person, the address that the inviter gave. */
  readonly email: string | null;
  /** The account that the inviter gave the id of; once a person's invitation is used, the account that used it. */
  readonly userId: string | null;
  readonly role: TeamRole;
  readonly projects: readonly ProjectGrant[];
  readonly teamPermissions: readonly TeamPermission[];
  readonly suffix: string;
  /** The present code was sent by mail, and shown to nobody. */
  readonly isMailed: boolean;
  readonly maxUses: number | null;
  readonly uses: number;
  readonly expiresAt: number;
  readonly revokedAt: number | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly revision: number;
}

/** An invite with the person who answers for it. */
export interface IssuedInvite {
  readonly invite: Invite;
  readonly issuer: Issuer;
}

/** What a code leads to. */
export interface FoundCode {
  readonly team: { readonly id: string; readonly slug: string; readonly name: string | null };
  /** An invite, or the settings of the team whose join link it is. */
  readonly opened: IssuedInvite | { readonly settings: string };
}

export const COLUMNS = [
  "invite.id",
  "invite.teamId",
  "invite.kind",
  "invite.email",
  "invite.userId",
  "invite.role",
  "invite.projects",
  "invite.teamPermissions",
  "invite.codeSuffix as suffix",
  "invite.isMailed",
  "invite.maxUses",
  "invite.uses",
  "invite.expiresAt",
  "invite.revokedAt",
  "invite.createdBy",
  "invite.createdAt",
  "invite.updatedAt",
  "invite.revision",
] as const;

export type InviteRow = Omit<Invite, "role" | "projects" | "teamPermissions" | "isMailed"> & {
  readonly isMailed: number;
  readonly role: string;
  readonly projects: string;
  readonly teamPermissions: string;
};

export function inviteOf(row: InviteRow): Invite {
  return {
    ...row,
    isMailed: row.isMailed === 1,
    role: row.role as TeamRole,
    projects: JSON.parse(row.projects) as ProjectGrant[],
    teamPermissions: JSON.parse(row.teamPermissions) as TeamPermission[],
  };
}
