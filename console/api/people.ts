// The people of a team by their ids, read at once: the first hundred.
import { useApi } from "./queries.ts";
import { useTeamId } from "./team.ts";

/** As many as a page of members holds. */
const MOST = 100;

interface Named {
  readonly name?: string;
  readonly username: string;
}

/**
 * Absent `ids`: the first members of the team. An account that is no member, such as an administrator, has no name here.
 */
export function usePeople(
  ids?: readonly string[],
  nameOf: (person: Named) => string = ({ name, username }) => name ?? username,
): Readonly<Record<string, string>> {
  const params = { teamId: useTeamId() };
  const query = { limit: MOST, ...(ids && { filterByUserIds: [...new Set(ids)].toSorted() }) };
  const found = useApi("GET /v2/teams/:teamId/members", { params, query }, { enabled: ids?.length !== 0 });
  return Object.fromEntries((found.data?.value.members ?? []).map((person) => [person.uid, nameOf(person)]));
}
