// A page of a team's people, whatever it is filtered by.
import type { PageBounds } from "../../kernel/pagination.ts";
import { searchNeedleOf } from "../../kernel/search-text.ts";
import type { Tx } from "../../kernel/tx.ts";
import { fillFiltered, fillPage } from "../search/find.ts";
import type { FoundPage } from "../search/find.ts";
import { findEdge, listMembers } from "./list-store.ts";
import type { MemberFilter } from "./list-store.ts";
import type { MemberOfTeam } from "./row.ts";

/** Those of a team's people whom a page shows. */
export async function findMembers(
  tx: Tx,
  teamId: string,
  { search = "", ...filter }: MemberFilter & { readonly search?: string },
  bounds: PageBounds,
): Promise<FoundPage<MemberOfTeam>> {
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
    findEdge: (left, skip) => findEdge(tx, teamId, filter, left, skip),
    read: (stretch) => listMembers(tx, teamId, filter, stretch),
  });
}
