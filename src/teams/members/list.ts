// Reads a page of the list of members, with any filter. Accounts and invitations share one order.
import { isId } from "../../platform/kernel/ids.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import { searchNeedlesOf } from "../../platform/kernel/text/search-text.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { findUsersOf, listPending } from "../invites/pending.ts";
import { fillPage, findAmong, paginateFiltered } from "../../platform/store/search/find.ts";
import type { FoundPage } from "../../platform/store/search/find.ts";
import { invitationOf } from "./joining/invitation.ts";
import type { Listed } from "./joining/invitation.ts";
import { findPositionAfter, listMembers, listOfRole, projectNeedle } from "./list-store.ts";
import type { MemberFilter } from "./list-store.ts";

export type Filter = MemberFilter & { readonly search?: string };
export type Positioned = Listed & { readonly position: number };

/** A role with more members is searched by the index, which soon finds a page of them. */
const MAX_OF_ROLE = 500;

/** The accounts among which a search finds its own; undefined: they are too many. */
export async function findSearched(tx: Tx, teamId: string, { role, userIds }: MemberFilter) {
  if (userIds || !role) return userIds;
  const rows = await listOfRole(tx, { teamId, role, limit: MAX_OF_ROLE + 1 });
  return rows.length > MAX_OF_ROLE ? undefined : rows.map(({ userId }) => userId);
}

export async function findMembers(
  tx: Tx,
  teamId: string,
  { search = "", ...filter }: Filter,
  bounds: PageBounds,
): Promise<FoundPage<Positioned>> {
  const { userIds, excludeProject, eligibleMembersForProjectId } = filter;
  const needles = searchNeedlesOf(search);
  if (needles.length > 0) {
    const searched = { scope: teamId, needles };
    const read = (ids: readonly string[]) => listMembers(tx, teamId, { ...filter, userIds: ids }, bounds);
    const among = await findSearched(tx, teamId, filter);
    if (!among) return await fillPage(tx, searched, bounds, read);
    return { rows: await read(await findAmong(tx, searched, among)), isCut: false };
  }
  const isIndexed = userIds !== undefined || (excludeProject ?? eligibleMembersForProjectId) === undefined;
  if (isIndexed) return { rows: await listMembers(tx, teamId, filter, bounds), isCut: false };
  return await paginateFiltered(bounds, {
    findPosition: (left, skip) => findPositionAfter(tx, teamId, filter, left, skip),
    read: (batch) => listMembers(tx, teamId, filter, batch),
  });
}

/** The accounts that the ids name: account ids, and ids of accepted invitations. */
export async function accountsOf(tx: Tx, teamId: string, uids: readonly string[]): Promise<readonly string[]> {
  const inviteIds = uids.filter((uid) => isId("invite", uid));
  return inviteIds.length === 0 ? uids : [...new Set([...uids, ...(await findUsersOf(tx, teamId, inviteIds))])];
}

export async function findInvited(tx: Tx, teamId: string, filter: Filter, bounds: PageBounds): Promise<Positioned[]> {
  const { search, role, userIds, excludeProject, eligibleMembersForProjectId } = filter;
  // Invited people are not eligible, because they have not joined yet.
  if (eligibleMembersForProjectId !== undefined) return [];
  const asked = {
    ...(search === undefined ? {} : { search }),
    ...(role === undefined ? {} : { role }),
    ...(userIds === undefined ? {} : { uids: userIds }),
    excluded: projectNeedle(excludeProject),
  };
  const invites = await listPending(tx, teamId, asked, bounds);
  return invites.map((invite) => ({ ...invitationOf(invite), position: invite.position }));
}

/** Merges both in the order of the page. Invitations behind the last member of a cut page belong to the next page. */
function merge(
  { rows, isCut }: FoundPage<Positioned>,
  invited: readonly Positioned[],
  { isForward, limit }: PageBounds,
) {
  const isBefore = (one: Positioned, other: Positioned) =>
    isForward ? one.position < other.position : one.position > other.position;
  const last = isCut ? rows.at(-1) : undefined;
  const within = last ? invited.filter((one) => isBefore(one, last)) : invited;
  return [...rows, ...within].toSorted((one, other) => (isBefore(one, other) ? -1 : 1)).slice(0, limit + 1);
}

/** A page of the list of members. */
export async function findPeople(
  tx: Tx,
  teamId: string,
  { canReadInvites, ...filter }: Filter & { readonly canReadInvites: boolean },
  bounds: PageBounds,
): Promise<FoundPage<Positioned>> {
  const { userIds } = filter;
  const accounts = userIds ? { ...filter, userIds: await accountsOf(tx, teamId, userIds) } : filter;
  const members = await findMembers(tx, teamId, accounts, bounds);
  const invited = canReadInvites ? await findInvited(tx, teamId, filter, bounds) : [];
  return invited.length === 0 ? members : { ...members, rows: merge(members, invited, bounds) };
}
