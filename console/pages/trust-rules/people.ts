// Names of people by their ids.
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";

/** As many as a page of members holds. */
const MOST = 100;

/** An account that is no member, such as an administrator, has no name here: its id is shown. */
export function usePeople(ids: readonly string[]): (id: string) => string {
  const params = { teamId: useTeamId() };
  const query = { filterByUserIds: [...new Set(ids)].toSorted(), limit: MOST };
  const found = useApi("GET /v2/teams/:teamId/members", { params, query }, { enabled: ids.length > 0 });
  const names = new Map(found.data?.value.members.map(({ uid, name, username }) => [uid, name ?? username]));
  return (id) => names.get(id) ?? id;
}
