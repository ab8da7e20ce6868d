// Pending invitations of people, as the resource of members sees them.
import type { PageBounds } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import {
  findInviteNamed,
  listFirstPending,
  listInvitesOfPerson,
  listPendingInvites,
  listUsersOfInvites,
  settleInvites,
  updateInvite,
} from "./pending-store.ts";
import type { PendingFilter } from "./pending-store.ts";
import type { Invite } from "./row.ts";
import { revokeInvite } from "./store.ts";

export type { Invite, PendingFilter };

interface Names {
  readonly email?: string;
  readonly userId?: string;
}

/** Invitations under these names, newest first, expired ones included. */
export async function findInvitesOf(tx: Tx, teamId: string, { email = "", userId = "" }: Names): Promise<Invite[]> {
  return await listInvitesOfPerson(tx, teamId, { emailKey: email.toLowerCase(), userId });
}

export async function findInviteByUid(tx: Tx, teamId: string, uid: string): Promise<Invite | undefined> {
  return await findInviteNamed(tx, teamId, uid);
}

/** The accounts that accepted some of these invitations. */
export async function findUsersOf(tx: Tx, teamId: string, inviteIds: readonly string[]): Promise<string[]> {
  const rows = await listUsersOfInvites(tx, { teamId, ids: JSON.stringify(inviteIds) });
  return rows.flatMap(({ userId }) => userId ?? []);
}

export async function listPending(tx: Tx, teamId: string, filter: PendingFilter, bounds: PageBounds) {
  return await listPendingInvites(tx, teamId, filter, bounds);
}

/** How many invitations of people wait in a team, expired ones included, counted up to a limit. */
export async function countPending(tx: Tx, teamId: string, limit: number): Promise<number> {
  return (await listFirstPending(tx, { teamId, limit })).length;
}

/** Marks the open invitations of a person who joined as used by their account. */
export async function settleInvitesOf(
  tx: Tx,
  teamId: string,
  { email, userId, now }: Required<Names> & { readonly now: number },
): Promise<void> {
  await settleInvites(tx, { teamId, emailKey: email.toLowerCase(), userId, now });
}

export async function endInvite(tx: Tx, { teamId, id }: Invite, now: number): Promise<void> {
  await revokeInvite(tx, { teamId, id, now });
}

export async function changeInvite(
  tx: Tx,
  { teamId, id }: Pick<Invite, "teamId" | "id">,
  { role, projects, teamPermissions }: Pick<Invite, "role" | "projects" | "teamPermissions">,
  now: number,
): Promise<void> {
  const grants = { projects: JSON.stringify(projects), teamPermissions: JSON.stringify(teamPermissions) };
  await updateInvite(tx, { teamId, id, role, ...grants, now });
}
