// A page of a team's people, whatever it is filtered by: accounts and invitations, which stand in one order.
import { isId } from "../../kernel/ids.ts";
import type { PageBounds } from "../../kernel/pagination.ts";
import { searchNeedleOf } from "../../kernel/text/search-text.ts";
import type { Tx } from "../../kernel/tx.ts";
import { findUsersOf, listPending } from "../invites/pending.ts";
import { fillFiltered, fillPage } from "../search/find.ts";
import type { FoundPage } from "../search/find.ts";
import { invitationOf } from "./invitation.ts";
import type { Listed } from "./invitation.ts";
import { findEdge, listMembers, projectNeedle } from "./list-store.ts";
import type { MemberFilter } from "./list-store.ts";

type Filter = MemberFilter & { readonly search?: string };
type Placed = Listed & { readonly position: number };

async function findMembers(
  tx: Tx,
  teamId: string,
  { search = "", ...filter }: Filter,
  bounds: PageBounds,
): Promise<FoundPage<Placed>> {
  const { userIds, excludeProject, eligibleMembersForProjectId } = filter;
  if (searchNeedleOf(search) !== "") {
    return await fillPage(tx, { scope: teamId, query: search }, bounds, async (ids) => {
      const asked = userIds ? ids.filter((id) => userIds.includes(id)) : ids;
      return asked.length === 0 ? [] : await listMembers(tx, teamId, { ...filter, userIds: asked }, bounds);
    });
  }
  const isIndexed = userIds !== undefined || (excludeProject ?? eligibleMembersForProjectId) === undefined;
  if (isIndexed) return { rows: await listMembers(tx, teamId, filter, bounds), isCut: false };
  return await fillFiltered(bounds, {
    findPosition: (left, skip) => findEdge(tx, teamId, filter, left, skip),
    read: (batch) => listMembers(tx, teamId, filter, batch),
  });
}

/** The accounts that the ids stand for: their own, and those of invitations that somebody accepted. */
async function accountsOf(tx: Tx, teamId: string, uids: readonly string[]): Promise<readonly string[]> {
  const inviteIds = uids.filter((uid) => isId("invite", uid));
  return inviteIds.length === 0 ? uids : [...new Set([...uids, ...(await findUsersOf(tx, teamId, inviteIds))])];
}

async function findInvited(tx: Tx, teamId: string, filter: Filter, bounds: PageBounds): Promise<Placed[]> {
  const { search, role, userIds, excludeProject, eligibleMembersForProjectId } = filter;
  // Nobody is eligible before they have joined.
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

/** Both in the order of the page. Of one that is cut, what lies behind its last member is the next page's. */
function merge({ rows, isCut }: FoundPage<Placed>, invited: readonly Placed[], { isForward, limit }: PageBounds) {
  const isBefore = (one: Placed, other: Placed) =>
    isForward ? one.position < other.position : one.position > other.position;
  const last = isCut ? rows.at(-1) : undefined;
  const within = last ? invited.filter((one) => isBefore(one, last)) : invited;
  return [...rows, ...within].toSorted((one, other) => (isBefore(one, other) ? -1 : 1)).slice(0, limit + 1);
}

/** Those of a team's people whom a page shows. */
export async function findPeople(
  tx: Tx,
  teamId: string,
  { canReadInvites, ...filter }: Filter & { readonly canReadInvites: boolean },
  bounds: PageBounds,
): Promise<FoundPage<Placed>> {
  const { userIds } = filter;
  const accounts = userIds ? { ...filter, userIds: await accountsOf(tx, teamId, userIds) } : filter;
  const members = await findMembers(tx, teamId, accounts, bounds);
  const invited = canReadInvites ? await findInvited(tx, teamId, filter, bounds) : [];
  return invited.length === 0 ? members : { ...members, rows: merge(members, invited, bounds) };
}
