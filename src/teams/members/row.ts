// A row of `memberships`, with its account, as domain values.
import { parseStored } from "../../platform/kernel/text/stored-json.ts";
import type { JoinedFrom, ProjectGrant, TeamPermission } from "../../platform/kernel/membership.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

/** A person's membership, invitation or access request, without the account. */
export interface Membership {
  readonly state: Tables["memberships"]["state"] | "invited";
  readonly role: TeamRole;
  readonly joinedFrom: JoinedFrom;
  readonly teamPermissions: readonly TeamPermission[];
  readonly projects: readonly ProjectGrant[];
  /** Id of the account that invited this one. */
  readonly invitedBy: string | null;
  readonly confirmedAt: number | null;
  readonly accessRequestedAt: number | null;
  readonly createdAt: number;
  readonly revision: number;
}

/** A member or an invited person as members of the team see them. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly username: string;
  readonly name: string | null;
  readonly avatar: string | null;
}

export interface PersonWithAccount extends Person {
  /** Invitations of an address are for an account only once mail to the address has reached its owner. */
  readonly isEmailConfirmed: boolean;
}

export interface PersonInTeam {
  readonly person: PersonWithAccount;
  readonly membership: Membership | null;
}

export const PERSON_COLUMNS = [
  "user.id as id",
  "user.email as email",
  "user.email_confirmed_at as emailConfirmedAt",
  "user.username as username",
  "user.name as name",
  "user.avatar as avatar",
] as const;

export const MEMBERSHIP_COLUMNS = [
  "m.state as state",
  "m.role as role",
  "m.joined_from as joinedFrom",
  "m.team_permissions as teamPermissions",
  "m.projects as projects",
  "m.invited_by as invitedBy",
  "m.confirmed_at as confirmedAt",
  "m.access_requested_at as accessRequestedAt",
  "m.created_at as createdAt",
  "m.revision as revision",
] as const;

export interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly emailConfirmedAt: number | null;
  readonly username: string;
  readonly name: string | null;
  readonly avatar: string | null;
  readonly state: Tables["memberships"]["state"];
  readonly role: string;
  readonly joinedFrom: string;
  readonly teamPermissions: string;
  readonly projects: string;
  readonly invitedBy: string | null;
  readonly confirmedAt: number | null;
  readonly accessRequestedAt: number | null;
  readonly createdAt: number;
  readonly revision: number;
}

export function personOf(row: Omit<MemberRow, keyof Membership>): PersonWithAccount {
  const { id, email, emailConfirmedAt, username, name, avatar } = row;
  return { id, email, isEmailConfirmed: emailConfirmedAt !== null, username, name, avatar };
}

export function membershipOf(row: MemberRow): Membership {
  return {
    state: row.state,
    role: row.role as TeamRole,
    joinedFrom: parseStored(row.joinedFrom) as JoinedFrom,
    teamPermissions: parseStored(row.teamPermissions) as readonly TeamPermission[],
    projects: parseStored(row.projects) as readonly ProjectGrant[],
    invitedBy: row.invitedBy,
    confirmedAt: row.confirmedAt,
    accessRequestedAt: row.accessRequestedAt,
    createdAt: row.createdAt,
    revision: row.revision,
  };
}

export function inTeam(row: { [K in keyof MemberRow]: MemberRow[K] | null } | undefined): PersonInTeam | undefined {
  if (!row) return undefined;
  return { person: personOf(row as MemberRow), membership: row.state === null ? null : membershipOf(row as MemberRow) };
}
