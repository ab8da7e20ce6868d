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
  "user.id",
  "user.email",
  "user.emailConfirmedAt",
  "user.username",
  "user.name",
  "user.avatar",
] as const;

export const MEMBERSHIP_COLUMNS = [
  "m.state",
  "m.role",
  "m.joinedFrom",
  "m.teamPermissions",
  "m.projects",
  "m.invitedBy",
  "m.confirmedAt",
  "m.accessRequestedAt",
  "m.createdAt",
  "m.revision",
] as const;

type ColumnOf<Names extends readonly string[]> = Names[number] extends `${string}.${infer Column}` ? Column : never;

export type MemberRow = Readonly<
  Pick<Tables["users"], ColumnOf<typeof PERSON_COLUMNS>> &
    Pick<Tables["memberships"], ColumnOf<typeof MEMBERSHIP_COLUMNS>>
>;

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
