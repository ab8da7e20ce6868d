// Pending invitations of people, as the resource of members sees them.
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import { canonicalPart, emailKey } from "../../platform/kernel/text/email-address.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import {
  listFirstPending,
  listInvitesByUid,
  listInvitesOfPerson,
  listPendingInvites,
  listUsersOfInvites,
  settleInvites,
  updateInvite,
} from "./pending-store.ts";
import { issuedOf } from "./issuer-store.ts";
import { inviteOf } from "./row.ts";
import type { Invite, IssuedInvite } from "./row.ts";
import { revokeInvite } from "./store.ts";

export interface PendingFilter {
  readonly search?: string;
  readonly role?: TeamRole;
  readonly uids?: readonly string[];
  /** Text that the list of projects must not contain. */
  readonly excluded?: string | null;
}

interface Names {
  readonly email?: string;
  readonly userId?: string;
}

/** Invitations under these names, newest first, expired ones included. */
export async function findInvitesOf(
  tx: Tx,
  teamId: string,
  { email = "", userId = "" }: Names,
): Promise<IssuedInvite[]> {
  return (await listInvitesOfPerson(tx, { teamId, emailKey: emailKey(email), userId })).map(issuedOf);
}

/** The invitation with a uid: pending, or already used if `uid` is its own id. */
export async function findInviteByUid(tx: Tx, teamId: string, uid: string): Promise<Invite | undefined> {
  const invites = (await listInvitesByUid(tx, { teamId, uid })).map(inviteOf);
  return invites.find(({ uses }) => uses === 0) ?? invites.find(({ id }) => id === uid);
}

/** The accounts that accepted some of these invitations. */
export async function findUsersOf(tx: Tx, teamId: string, inviteIds: readonly string[]): Promise<string[]> {
  const rows = await listUsersOfInvites(tx, { teamId, ids: JSON.stringify(inviteIds) });
  return rows.flatMap(({ userId }) => userId ?? []);
}

/** A page of the invitations of people that nobody accepted yet, with one more than it holds; expired ones included. */
export async function listPending(tx: Tx, teamId: string, filter: PendingFilter, bounds: PageBounds) {
  const { search, role = null, uids, excluded = null } = filter;
  const rows = await listPendingInvites(
    tx,
    {
      teamId,
      search: search === undefined ? null : search.normalize("NFC").toLowerCase(),
      address: search === undefined ? null : canonicalPart(search),
      role,
      uids: uids ? JSON.stringify(uids) : null,
      excluded,
    },
    bounds,
  );
  return rows.map((row) => ({ ...inviteOf(row), position: row.position }));
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
  await settleInvites(tx, { teamId, emailKey: emailKey(email), userId, now });
}

export async function endInvite(tx: Tx, { teamId, id }: Invite, now: number): Promise<void> {
  await revokeInvite(tx, { teamId, id, now });
}

/** Changes what an invitation gives. `issuedTo` answers for it from then on; null: who did before. */
export async function changeInvite(
  tx: Tx,
  { teamId, id }: Pick<Invite, "teamId" | "id">,
  { role, projects, teamPermissions }: Pick<Invite, "role" | "projects" | "teamPermissions">,
  { issuedTo, now }: { readonly issuedTo: string | null; readonly now: number },
): Promise<void> {
  const grants = { projects: JSON.stringify(projects), teamPermissions: JSON.stringify(teamPermissions) };
  await updateInvite(tx, { teamId, id, role, ...grants, issuedTo, now });
}
